package train

import "github.com/bochner-go/bochner/layers"

// Map is a feature map without a graph, which is all that ridge regression needs of a layer.
type Map = layers.Map
