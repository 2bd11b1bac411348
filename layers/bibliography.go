package layers

import (
	"maps"

	spectral "github.com/bochner-go/bochner/init"
)

// The papers behind the types of layers and of kernels, by their names in bibliography. Heads, compositions and the
// linear kernel have none, nor have Gaussian and Laplacian, which are older than their features. A kernel has its
// source here even if the paper of its layer introduces it, because a fitted layer can take it, too.
var (
	layerSources = map[string][]string{
		"Dense":                   {"Glorot and Bengio 2010"},
		"FourierLayer":            {"Rahimi and Recht 2007"},
		"RandomLaplaceLayer":      {"Yang et al. 2014"},
		"RandomReLULayer":         {"Cho and Saul 2009"},
		"SkewedChi2Layer":         {"Li et al. 2010"},
		"SkewedIntersectionLayer": {"Li et al. 2010"},
		"SkewedLayer":             {"Li et al. 2010"},
		"HomogeneousLayer":        {"Vedaldi and Zisserman 2012"},
		"ExponentiatedLayer":      {"Vedaldi and Zisserman 2012", "Rahimi and Recht 2007"},
		"LevyLayer":               {"Berg et al. 1984", "Rahimi and Recht 2007"},
		"HDDLayer":                {"Sutherland et al. 2016", "Rahimi and Recht 2007"},
		"L2DensityLayer":          {"Oliva et al. 2014", "Rahimi and Recht 2007"},
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
		"spectral.ExpSemigroup":        {"Yang et al. 2014"},
		"spectral.ReciprocalSemigroup": {"Yang et al. 2014"},
		"spectral.Hellinger":           {"Vedaldi and Zisserman 2012"},
		"spectral.Chi2":                {"Vedaldi and Zisserman 2012"},
		"spectral.Intersection":        {"Vedaldi and Zisserman 2012"},
		"spectral.JensenShannon":       {"Vedaldi and Zisserman 2012"},
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

// bibliography maps the name of every paper, with which the Paper of an Entry begins, to its BibTeX entry. Package
// spectral has the papers on samplers.
var bibliography = func(all map[string]string) map[string]string {
	for _, s := range spectral.Samplers() {
		maps.Copy(all, spectral.Papers(s))
	}
	return all
}(map[string]string{
	"Berg et al. 1984": `@book{berg1984harmonic,
  author    = {Berg, Christian and Christensen, Jens Peter Reus and Ressel, Paul},
  title     = {Harmonic Analysis on Semigroups: Theory of Positive Definite and Related Functions},
  publisher = {Springer},
  year      = {1984}
}
`,
	"Chen et al. 2022": `@misc{chen2022randomly,
  author = {Chen, Yifan and Epperly, Ethan N. and Tropp, Joel A. and Webber, Robert J.},
  title  = {Randomly Pivoted {Cholesky}: Practical Approximation of a Kernel Matrix with Few Entry Evaluations},
  note   = {arXiv:2207.06503},
  year   = {2022}
}
`,
	"Cho and Saul 2009": `@inproceedings{cho2009kernel,
  author    = {Cho, Youngmin and Saul, Lawrence K.},
  title     = {Kernel Methods for Deep Learning},
  booktitle = {Advances in Neural Information Processing Systems 22},
  pages     = {342--350},
  year      = {2009}
}
`,
	"Glorot and Bengio 2010": `@inproceedings{glorot2010understanding,
  author    = {Glorot, Xavier and Bengio, Yoshua},
  title     = {Understanding the Difficulty of Training Deep Feedforward Neural Networks},
  booktitle = {Proceedings of the 13th International Conference on Artificial Intelligence and Statistics},
  pages     = {249--256},
  year      = {2010}
}
`,
	"Jacot et al. 2018": `@inproceedings{jacot2018neural,
  author    = {Jacot, Arthur and Gabriel, Franck and Hongler, Cl{\'e}ment},
  title     = {Neural Tangent Kernel: Convergence and Generalization in Neural Networks},
  booktitle = {Advances in Neural Information Processing Systems 31},
  year      = {2018}
}
`,
	"Kar and Karnick 2012": `@inproceedings{kar2012random,
  author    = {Kar, Purushottam and Karnick, Harish},
  title     = {Random Feature Maps for Dot Product Kernels},
  booktitle = {International Conference on Artificial Intelligence and Statistics},
  series    = {Proceedings of Machine Learning Research},
  volume    = {22},
  pages     = {583--591},
  year      = {2012}
}
`,
	"Li et al. 2010": `@inproceedings{li2010random,
  author    = {Li, Fuxin and Ionescu, Catalin and Sminchisescu, Cristian},
  title     = {Random {Fourier} Approximations for Skewed Multiplicative Histogram Kernels},
  booktitle = {Pattern Recognition (DAGM 2010)},
  series    = {Lecture Notes in Computer Science},
  volume    = {6376},
  pages     = {262--271},
  year      = {2010}
}
`,
	"Luo et al. 2021": `@misc{luo2021towards,
  author = {Luo, Qin and Fang, Kun and Yang, Jie and Huang, Xiaolin},
  title  = {Towards Unbiased Random Features with Lower Variance for Stationary Indefinite Kernels},
  note   = {arXiv:2104.06204},
  year   = {2021}
}
`,
	"Maji and Berg 2009": `@inproceedings{maji2009max,
  author    = {Maji, Subhransu and Berg, Alexander C.},
  title     = {Max-Margin Additive Classifiers for Detection},
  booktitle = {IEEE International Conference on Computer Vision},
  pages     = {40--47},
  year      = {2009}
}
`,
	"Muandet et al. 2012": `@inproceedings{muandet2012learning,
  author    = {Muandet, Krikamol and Fukumizu, Kenji and Dinuzzo, Francesco and Sch{\"o}lkopf, Bernhard},
  title     = {Learning from Distributions via Support Measure Machines},
  booktitle = {Advances in Neural Information Processing Systems 25},
  pages     = {10--18},
  year      = {2012}
}
`,
	"Oglic and Gärtner 2018": `@inproceedings{oglic2018learning,
  author    = {Oglic, Dino and G{\"a}rtner, Thomas},
  title     = {Learning in Reproducing Kernel {Kre{\u\i}n} Spaces},
  booktitle = {Proceedings of the 35th International Conference on Machine Learning},
  series    = {Proceedings of Machine Learning Research},
  volume    = {80},
  pages     = {3859--3867},
  year      = {2018}
}
`,
	"Oliva et al. 2014": `@inproceedings{oliva2014fast,
  author    = {Oliva, Junier B. and Neiswanger, Willie and P{\'o}czos, Barnab{\'a}s and Schneider, Jeff and Xing, Eric},
  title     = {Fast Distribution to Real Regression},
  booktitle = {Proceedings of the 17th International Conference on Artificial Intelligence and Statistics},
  series    = {Proceedings of Machine Learning Research},
  volume    = {33},
  pages     = {706--714},
  year      = {2014}
}
`,
	"Pennington et al. 2015": `@inproceedings{pennington2015spherical,
  author    = {Pennington, Jeffrey and Yu, Felix X. and Kumar, Sanjiv},
  title     = {Spherical Random Features for Polynomial Kernels},
  booktitle = {Advances in Neural Information Processing Systems 28},
  pages     = {1846--1854},
  year      = {2015}
}
`,
	"Perronnin et al. 2010": `@inproceedings{perronnin2010large,
  author    = {Perronnin, Florent and S{\'a}nchez, Jorge and Liu, Yan},
  title     = {Large-Scale Image Categorization with Explicit Data Embedding},
  booktitle = {IEEE Conference on Computer Vision and Pattern Recognition},
  pages     = {2297--2304},
  year      = {2010}
}
`,
	"Pham and Pagh 2013": `@inproceedings{pham2013fast,
  author    = {Pham, Ninh and Pagh, Rasmus},
  title     = {Fast and Scalable Polynomial Kernels via Explicit Feature Maps},
  booktitle = {ACM SIGKDD International Conference on Knowledge Discovery and Data Mining},
  pages     = {239--247},
  year      = {2013},
  doi       = {10.1145/2487575.2487591}
}
`,
	"Rahimi and Recht 2007": `@inproceedings{rahimi2007random,
  author    = {Rahimi, Ali and Recht, Benjamin},
  title     = {Random Features for Large-Scale Kernel Machines},
  booktitle = {Advances in Neural Information Processing Systems 20},
  pages     = {1177--1184},
  year      = {2007}
}
`,
	"Rasmussen and Williams 2006": `@book{rasmussen2006gaussian,
  author    = {Rasmussen, Carl Edward and Williams, Christopher K. I.},
  title     = {Gaussian Processes for Machine Learning},
  publisher = {MIT Press},
  year      = {2006}
}
`,
	"Sutherland et al. 2016": `@inproceedings{sutherland2016linear,
  author    = {Sutherland, Dougal J. and Oliva, Junier B. and P{\'o}czos, Barnab{\'a}s and Schneider, Jeff},
  title     = {Linear-Time Learning on Distributions with Approximate Kernel Embeddings},
  booktitle = {Proceedings of the 30th AAAI Conference on Artificial Intelligence},
  year      = {2016}
}
`,
	"Vedaldi and Zisserman 2012": `@article{vedaldi2012efficient,
  author  = {Vedaldi, Andrea and Zisserman, Andrew},
  title   = {Efficient Additive Kernels via Explicit Feature Maps},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume  = {34},
  number  = {3},
  pages   = {480--492},
  year    = {2012}
}
`,
	"Williams and Seeger 2001": `@inproceedings{williams2001using,
  author    = {Williams, Christopher K. I. and Seeger, Matthias},
  title     = {Using the {Nystr{\"o}m} Method to Speed Up Kernel Machines},
  booktitle = {Advances in Neural Information Processing Systems 13},
  pages     = {682--688},
  year      = {2001}
}
`,
	"Yang et al. 2014": `@inproceedings{yang2014random,
  author    = {Yang, Jiyan and Sindhwani, Vikas and Fan, Quanfu and Avron, Haim and Mahoney, Michael W.},
  title     = {Random {Laplace} Feature Maps for Semigroup Kernels on Histograms},
  booktitle = {IEEE Conference on Computer Vision and Pattern Recognition},
  pages     = {971--978},
  year      = {2014}
}
`,
})
