package layers

import (
	"sync"

	spectral "github.com/bochner-go/bochner/init"
)

// The papers behind the types of layers and of kernels, by their names in bibliography. Heads, compositions and the
// linear kernel have none, nor have Gaussian and Laplacian, which are older than their features. A kernel has its
// source here even if the paper of its layer introduces it, because a fitted layer can take it, too.
var (
	layerSources = map[string][]string{
		"AdditiveLayer":           {"Rahimi and Recht 2007"},
		"Dense":                   {"Glorot and Bengio 2010"},
		"FourierLayer":            {"Rahimi and Recht 2007"},
		"PeriodicLayer":           {"Gorishniy et al. 2022"},
		"PositiveLayer":           {"Choromanski et al. 2021"},
		"RandomLaplaceLayer":      {"Yang et al. 2014"},
		"RandomReLULayer":         {"Cho and Saul 2009"},
		"SkewedChi2Layer":         {"Li et al. 2010"},
		"SkewedIntersectionLayer": {"Li et al. 2010"},
		"SkewedLayer":             {"Li et al. 2010"},
		"HomogeneousLayer":        {"Vedaldi and Zisserman 2012"},
		"ExponentiatedLayer":      {"Vedaldi and Zisserman 2012", "Rahimi and Recht 2007"},
		"LevyLayer":               {"Berg et al. 1984", "Rahimi and Recht 2007"},
		"HDDLayer":                {"Sutherland et al. 2016", "Rahimi and Recht 2007"},
		"HDDLayer of ∫(p - q)²":   {"Oliva et al. 2014", "Rahimi and Recht 2007"},
		"GORFLayer":               {"Luo et al. 2021"},
		"RandomMaclaurinLayer":    {"Kar and Karnick 2012"},
		"TensorSketchLayer":       {"Pham and Pagh 2013"},
		"SRFLayer":                {"Pennington et al. 2015"},
		"NystromLayer":            {"Williams and Seeger 2001"},
		"AddKPCALayer":            {"Perronnin et al. 2010"},
		"MajiBergLayer":           {"Maji and Berg 2009"},
	}
	kernelSources = map[string][]string{
		"spectral.Gaussian":            {}, // older than the features of their maps
		"spectral.Laplacian":           {},
		"spectral.AdditiveGaussian":    {"Duvenaud et al. 2011"},
		"spectral.Softmax":             {"Choromanski et al. 2021"},
		"spectral.ExpSemigroup":        {"Yang et al. 2014"},
		"spectral.ReciprocalSemigroup": {"Yang et al. 2014"},
		"spectral.Hellinger":           {"Vedaldi and Zisserman 2012"},
		"spectral.Chi2":                {"Vedaldi and Zisserman 2012"},
		"spectral.Intersection":        {"Vedaldi and Zisserman 2012"},
		"spectral.JensenShannon":       {"Vedaldi and Zisserman 2012"},
		"spectral.HomogeneousGaussian": {"Vedaldi and Zisserman 2012"},
		"spectral.Exponentiated":       {"Vedaldi and Zisserman 2012"},
		"spectral.Stationary":          {"Vedaldi and Zisserman 2012"},
		"spectral.SpherePolynomial":    {"Pennington et al. 2015"},
		"spectral.DeltaGaussian":       {"Oglic and Gärtner 2018"},
		"spectral.ArcCosine":           {"Cho and Saul 2009"},
		"spectral.NeuralTangent":       {"Jacot et al. 2018"},
	}
	couplingSources = map[spectral.Coupling][]string{
		spectral.SharedCoupled: {"Yu et al. 2016", "Reid et al. 2025"},
		spectral.Joint:         {}, // those two are of Luo et al.
		spectral.Independent:   {},
	}
	landmarkSources = map[LandmarkChoice][]string{
		CholeskyLandmarks: {"Chen et al. 2022"},
	}
)

// bibliography maps the name of every paper, with which the Paper of an Entry begins, to its BibTeX entry. Few programs
// cite, so it is read at the first call.
var bibliography = sync.OnceValue(spectral.References)
