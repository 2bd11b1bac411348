package main

// figure is a mean and a standard deviation that the paper prints.
type figure struct{ mean, sd float64 }

// paperErrors is table II of the paper: the relative error for s = d/2, d, 2d and 8d, by kernel, set and method.
var paperErrors = map[string]map[string]map[string][4]figure{
	polynomial: {
		"letter": {"GRFF": {{.0859, .0309}, {.0547, .0078}, {.0469, .0109}, {.0261, .0059}}, "GORF": {{.0716, .0175}, {.0495, .0139}, {.0360, .0110}, {.0231, .0078}}},
		"ijcnn1": {"GRFF": {{.1159, .0158}, {.0907, .0194}, {.0794, .0142}, {.0433, .0059}}, "GORF": {{.1072, .0228}, {.0775, .0204}, {.0487, .0155}, {.0397, .0135}}},
		"usps":   {"GRFF": {{.0270, .0056}, {.0213, .0063}, {.0160, .0029}, {.0137, .0020}}, "GORF": {{.0251, .0078}, {.0194, .0087}, {.0143, .0030}, {.0137, .0016}}},
	},
	deltaGaussian: {
		"letter": {"GRFF": {{.3918, .0428}, {.2736, .0345}, {.1887, .0201}, {.1017, .0088}}, "GORF": {{.3154, .0424}, {.1133, .0181}, {.0760, .0090}, {.0376, .0039}}},
		"ijcnn1": {"GRFF": {{.2924, .0188}, {.2171, .0222}, {.1504, .0134}, {.0757, .0081}}, "GORF": {{.2415, .0190}, {.1026, .0129}, {.0739, .0065}, {.0383, .0022}}},
		"usps":   {"GRFF": {{.1005, .0061}, {.0690, .0050}, {.0500, .0024}, {.0253, .0023}}, "GORF": {{.0724, .0049}, {.0235, .0009}, {.0166, .0008}, {.0083, .0003}}},
	},
}

// paperRegression are tables III and IV: the root mean squared error for s = 2d, 4d and 8d, by kernel and method. The
// SRF of the delta-Gaussian kernel has the positive part of the measure alone.
var paperRegression = map[string]map[string][3]figure{
	polynomial: {"RM": {{7.153, 1.772}, {5.436, .917}, {4.491, .008}}, "TS": {{5.414, .879}, {4.772, .177}, {4.657, .316}},
		"SRF": {{4.391, .368}, {3.906, .219}, {3.555, .130}}, "GORF": {{4.079, .233}, {3.817, .204}, {3.472, .137}}},
	deltaGaussian: {"positive part": {{5.432, .729}, {3.845, .379}, {3.321, .274}}, "GORF": {{3.739, .360}, {3.474, .330}, {3.164, .452}}},
}

// diagonalHelped says whether a cell of table II is one of those where the diagonal that the paper overwrites with 1
// took away most of its error.
func diagonalHelped(kernel, set string, size int) bool {
	return kernel == polynomial && set == "usps" && size < 2
}
