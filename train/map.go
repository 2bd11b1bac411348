package train

import "github.com/bochner-go/bochner/layers"

// Map is a feature map without a graph: all that ridge needs of a layer.
type Map = layers.Map
