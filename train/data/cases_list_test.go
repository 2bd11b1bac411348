package data

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bochner-go/bochner/ops/domain"
)

// lines are n lines that f writes, each beginning with its number from 0.
func lines(header string, n int, f func(i int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		b.WriteString(f(i) + "\n")
	}
	return b.String()
}

// rowsShown are n rows as shown writes them.
func rowsShown(n int, f func(i int) string) string {
	return strings.ReplaceAll(lines("", n, func(i int) string { return " | " + f(i) }), "\n", "")
}

var (
	noLabel    = Options{Label: LabelNone}
	targetLast = Options{Task: Regression}
)

// named labels.
func labelled(names ...string) Options { return Options{LabelNames: names} }

const abc = "a,b,c\n1,2,x\n3,5,y\n"

// tableCases are the cases, from the header to the labels.
var tableCases = slices.Concat(headerCases, separatorCases, cellCases, gapCases, categoryCases, timeCases, labelCases,
	chosenCases, laterCases)

var headerCases = []tableCase{
	{name: "a plain header", text: abc, want: "a:number b:number | 1 2 >x | 3 5 >y"},
	{name: "a header of 0, 1, 2 as pandas writes by default", text: "0,1,2,3,4\n.5,1,2,3,9\n1,4,2.5,6,8\n", want: "0:number 1:number 2:number 3:number | 0.5 1 2 3 >9 | 1 4 2.5 6 >8",
		told: []string{"treated as the names of the columns, because it counts up"}},
	{name: "a header of 0, 1 and the name of the label", text: "0,1,label\n.5,1,x\n2,3,y\n", want: "0:number 1:number | 0.5 1 >x | 2 3 >y", told: []string{"counts up"}},
	{name: "an index and a header that counts up", text: ",0,1,2\n0,5.5,6,1\n1,7,8,2\n", want: "0:number 1:number | 5.5 6 >1 | 7 8 >2", left: "", told: []string{"counts up", "numbers the rows"}},
	{name: "years as names", text: "country,2018,2019,2020,y\nde,1,2,4,7\nfr,3,5,1,8\n", read: targetLast,
		want: "country:category 2018:number 2019:number 2020:number [country=de,country=fr,2018,2019,2020] | 1 0 1 2 4 >7 | 0 1 3 5 1 >8", told: []string{"counts up"}},
	{name: "two whole numbers that count up over whole numbers", text: "0,1,u\n4,5,x\n7,8,y\n", want: "column 1:number column 2:number | 0 1 >u | 4 5 >x | 7 8 >y",
		told: []string{"the first line, 0,1,u, is treated as a row, though it counts up; if it names the columns, say so"}},
	{name: "two whole numbers that count up over huge whole numbers", text: "0,1,u\n1e300,5,x\n7,8,y\n", want: "column 1:number column 2:number | 0 1 >u | 1e+300 5 >x | 7 8 >y", told: []string{"is treated as a row, though it counts up"}},
	{name: "numbers that do not count up are a row", text: "1,5,3\n4,5.5,6\n7,8,9\n", want: "column 1:number column 2:number | 1 5 >3 | 4 5.5 >6 | 7 8 >9"},
	{name: "header: yes", text: "1,5,3\n4,5.5,6\n7,8,9\n", read: Options{Header: HeaderYes}, want: "1:number 5:number | 4 5.5 >6 | 7 8 >9"},
	{name: "header: no", text: "0,1,2,3\n.5,1,2,9\n1,4,2.5,8\n", read: Options{Header: HeaderNo}, want: "column 1:number column 2:number column 3:number | 0 1 2 >3 | 0.5 1 2 >9 | 1 4 2.5 >8"},
	{name: "texts under names", text: "color,size,class\nred,S,x\nblue,L,y\nred,L,x\n", want: "color:category size:category [color=blue,color=red,size=L,size=S] | 0 1 0 1 >x | 1 0 1 0 >y | 0 1 1 0 >x", told: []string{"treated as the names of the columns, because none of its texts comes again"}},
	{name: "texts without names", text: "red,S,x\nblue,L,y\nred,L,x\n", want: "column 1:category column 2:category [column 1=blue,column 1=red,column 2=L,column 2=S] | 0 1 0 1 >x | 1 0 1 0 >y | 0 1 1 0 >x", told: []string{"treated as a row, because its \"red\" is in line 3"}},
	{name: "some names are numbers", text: "a,7,c\n1,2,x\n3,4,y\n", want: "column 1:category column 2:number [column 1=1,column 1=3,column 1=a,column 2] | 0 0 1 7 >c | 1 0 0 2 >x | 0 1 0 4 >y",
		told: []string{"treated as a row, because some of its fields are numbers; if it names the columns, say so", `"column 1" is a category: 2 of its values are numbers, and 1 are not, such as "a"`}},
	{name: "an index of pandas without a name", text: ",a,b\n0,5,x\n1,6,y\n2,8,x\n", want: "a:number | 5 >x | 6 >y | 8 >x", told: []string{`column "" is left out: it numbers the rows`}},
	{name: "an index of pandas that was read and written", text: "Unnamed: 0,a,b\n0,5,x\n1,6,y\n", want: "a:number | 5 >x | 6 >y", left: "Unnamed: 0", told: []string{"numbers the rows"}},
	{name: "a first column without a name that is no index", text: ",a,b\n7.5,5,x\n1,6,y\n", err: ErrFormat, says: []string{"no name for column 1", "name it"}},
	{name: "an empty name", text: "a,,c\n1,2,x\n", err: ErrFormat, says: []string{"train.csv:1", "no name for column 2", "name it"}},
	{name: "names twice", text: "a,b,a\n1,2,x\n", err: ErrFormat, says: []string{"train.csv:1", "column 1 and column 3", `"a"`, "rename"}},
	{name: "a header in latin-1", text: "a,gr\xf6\xdfe,c\n1,2,x\n", err: ErrFormat, says: []string{"train.csv:1", "column 2", "not UTF-8", "iconv"}},
	{name: "one row", text: "a,b,c\n1,2,x\n", err: ErrFormat, says: []string{"no column is left", "all its values are 1"}, told: []string{`"a"`, `"b"`}},
	{name: "two rows", text: "a,b,c\n1,2,x\n3,2,y\n", want: "a:number | 1 >x | 3 >y", left: "b", told: []string{`column "b" is left out: all its values are 2`}},
}

var separatorCases = []tableCase{
	{name: "a byte order mark", text: "\xef\xbb\xbf" + abc, want: "a:number b:number | 1 2 >x | 3 5 >y"},
	{name: "CRLF", text: strings.ReplaceAll(abc, "\n", "\r\n"), want: "a:number b:number | 1 2 >x | 3 5 >y"},
	{name: "a carriage return alone", text: strings.ReplaceAll(abc, "\n", "\r"), want: "a:number b:number | 1 2 >x | 3 5 >y"},
	{name: "UTF-16", text: "\xff\xfea\x00,\x00", err: ErrFormat, says: []string{"UTF-16", "UTF-8"}},
	{name: "UTF-16 without its mark", text: "a\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", err: ErrFormat, says: []string{"train.csv", "UTF-16", "UTF-8"}},
	{name: "quoted separators and newlines", text: "\"a, of\nall\",b,c\n\"1\",\"x, y\",p\n2,\"x, y\",q\n3,\"u\nv\",q\n", want: "a, of\nall:number b:category [a, of\nall,b=u\nv,b=x, y] | 1 0 1 >p | 2 0 1 >q | 3 1 0 >q"},
	{name: "semicolons and decimal commas", text: "a;b;c\n1,5;2;x\n2,25;3;y\n", want: "a:number b:number | 1.5 2 >x | 2.25 3 >y",
		told: []string{"separated by semicolons", `line 2 has the number "1,5": commas are treated as decimal points`}},
	{name: "decimal commas in targets", text: "a;b;c\n1,5;2;0,5\n2,25;3;-1,75\n", read: Options{Task: Regression}, want: "a:number b:number | 1.5 2 >0.5 | 2.25 3 >-1.75",
		told: []string{"separated by semicolons", `line 2 has the number "1,5": commas are treated as decimal points`}},
	{name: "decimal commas in targets alone", text: "a;b;c\n1;2;0,5\n3;4;-1,75\n", read: Options{Task: Regression}, want: "a:number b:number | 1 2 >0.5 | 3 4 >-1.75",
		told: []string{"separated by semicolons", `line 2 has the number "0,5": commas are treated as decimal points`}},
	{name: "an integer of 2^53 between semicolons", text: "a;b;c\n1;2;x\n3;9007199254740993;y\n", err: domain.ErrDomain, says: []string{"train.csv:3", `"b"`, "9007199254740993", "2^53"}, told: []string{"semicolons"}},
	{name: "semicolons and decimal points", text: "a;b;c\n1.5;2;x\n2.25;3;y\n", want: "a:number b:number | 1.5 2 >x | 2.25 3 >y", told: []string{"separated by semicolons"}},
	{name: "tabs", text: "a\tb\tc\n1\t2\tx, y\n3\t4\tz\n", want: "a:number b:number | 1 2 >x, y | 3 4 >z", told: []string{"separated by tabs"}},
	{name: "a TSV file", file: "train.tsv", text: "a\tb\tc\n1\t2\tx, y\n3\t4\tz\n", want: "a:number b:number | 1 2 >x, y | 3 4 >z"},
	{name: "a delimiter that is given", text: "a|b|c\n1|2|x\n3|4|z\n", read: Options{Delimiter: '|'}, want: "a:number b:number | 1 2 >x | 3 4 >z"},
	{name: "thousands separators", text: "a,b,c\n\"1,200\",2,x\n\"3,400\",4,y\n", err: ErrFormat, says: []string{"train.csv:2", `"a"`, `"1,200"`, "thousands"}},
	{name: "thousands separators of some", text: "a,b,c\n950,2,x\n\"1,200\",2,x\n\"3,400\",4,y\n", err: ErrFormat, says: []string{"train.csv:3", `"a"`, `"1,200"`, "thousands"}},
	{name: "thousands points and decimal commas", text: "a;b;c\n1.200,5;2;x\n3.400,25;4;y\n", err: ErrFormat, says: []string{"train.csv:2", `"a"`, `"1.200,5"`, "thousands"}, told: []string{"semicolons"}},
}

var cellCases = []tableCase{
	{name: "a typo in a column of numbers", text: lines("a,b,c\n", 100, func(i int) string {
		if i == 41 {
			return "1,4o.5,x"
		}
		return fmt.Sprintf("%d,%d.5,y", i%7, i)
	}), err: ErrFormat, says: []string{"train.csv:43", `"b"`, `"4o.5"`, "99 of 100", "correct it"}},
	{name: "an infinity", text: "a,b,c\n1,2,x\n3,inf,y\n4,5,z\n", err: domain.ErrDomain, says: []string{"train.csv:3", `"b"`, `"inf"`}},
	{name: "an infinity first", text: "a,b,c\n1,inf,x\n3,2,y\n4,5,z\n", err: domain.ErrDomain, says: []string{"train.csv:2", `"b"`, `"inf"`}},
	{name: "1e400", text: "a,b,c\n1,2,x\n3,1e400,y\n", err: domain.ErrDomain, says: []string{"train.csv:3", `"b"`, `"1e400"`, "too large"}},
	{name: "the name Infinity among names", text: "a,b,c\n1,Infinity,x\n3,Eternity,y\n4,Eternity,y\n5,Infinity,x\n", want: "a:number b:category [a,b=Eternity,b=Infinity] | 1 0 1 >x | 3 1 0 >y | 4 1 0 >y | 5 0 1 >x"},
	{name: "an integer of 2^53 among small ones", text: "a,b,c\n1,2,x\n3,9007199254740993,y\n", err: domain.ErrDomain, says: []string{"train.csv:3", `"b"`, "9007199254740993", "2^53"}},
	{name: "integers of 2^53 alone", text: "a,b,c\n1,9007199254740993,x\n3,9007199254740995,y\n4,9007199254740993,y\n", err: domain.ErrDomain, says: []string{"train.csv:2", `"b"`, "9007199254740993", "2^53"}},
	{name: "integers of 2^53 that are declared names", text: "a,b,c\n1,9007199254740993,x\n3,9007199254740995,y\n4,9007199254740993,y\n", learn: ColumnOptions{Categorical: []string{"b"}}, want: "a:number b:category [a,b=9007199254740993,b=9007199254740995] | 1 1 0 >x | 3 0 1 >y | 4 1 0 >y"},
	{name: "an integer of 2^53 as a class", text: "a,b\n1,9007199254740993\n3,9007199254740992\n", want: "a:number | 1 >9007199254740993 | 3 >9007199254740992"},
	{name: "an integer of 2^53 as a target", text: "a,b\n1,9007199254740993\n3,4\n", read: targetLast, err: domain.ErrDomain, says: []string{"train.csv:2", "9007199254740993", "2^53"}},
	{name: "a constant column and one twice", text: "a,b,c,d\n1,7,1,x\n3,7,3,y\n", want: "a:number c:number | 1 1 >x | 3 3 >y", left: "b", told: []string{`"b" is left out: all its values are 7`}},
	{name: "booleans", text: "a,b,c,d,y\nyes,TRUE,t,0,p\nno,False,f,1,q\nYes,true,t,1,q\n", want: "a:boolean b:boolean c:boolean d:boolean | 1 1 1 0 >p | 0 0 0 1 >q | 1 1 1 1 >q"},
	{name: "a cell in latin-1", text: "a,b,c\n1,caf\xe9,x\n3,tea,y\n", err: ErrFormat, says: []string{"train.csv:2", `"b"`, "not UTF-8", "iconv"}},
	{name: "an array with NaN", file: "train.npy", text: arrayOf("<f8", "False", "(3, 3)", []float64{1, math.NaN(), 7, 2, 4, 8, 3, 6, 7}),
		want: "column 1:number column 2:number [column 1,column 2,column 2=(missing)] | 1 4 1 >7 | 2 4 0 >8 | 3 6 0 >7"},
	{name: "an array with an infinity", file: "train.npy", text: arrayOf("<f8", "False", "(2, 3)", []float64{1, math.Inf(1), 7, 2, 4, 8}),
		err: domain.ErrDomain, says: []string{"column 2", "x[0,1] = +Inf"}},
	{name: "LIBSVM text", file: "train.libsvm", text: "1 1:2 3:4\n", err: domain.ErrParam, says: []string{"LIBSVM", "no names", "CSV"}},
}

var gapCases = []tableCase{
	{name: "every mark of a gap", text: "a,b,y\n1,2,p\n,3,p\nNA,4,p\nn/a,5,p\nNaN,6,p\n#N/A,7,p\n<NA>,8,p\nnull,9,p\nNone,1,p\n?,2,p\n-,3,q\n.,4,q\n-nan,4,q\nNaT,4,q\n\\N,4,q\n3,5,q\n", want: "a:number b:number [a,a=(missing),b] | 1 0 2 >p | 1 1 3 >p | 1 1 4 >p | 1 1 5 >p | 1 1 6 >p | 1 1 7 >p | 1 1 8 >p | 1 1 9 >p | 1 1 1 >p | 1 1 2 >p | 1 1 3 >q | 1 1 4 >q | 1 1 4 >q | 1 1 4 >q | 1 1 4 >q | 3 0 5 >q"},
	{name: "a gap in numbers", text: "a,b,y\n1,2,p\n,3,q\n5,4,q\n9,5,q\n", want: "a:number b:number [a,a=(missing),b] | 1 0 2 >p | 5 1 3 >q | 5 0 4 >q | 9 0 5 >q"},
	{name: "a gap in numbers, filled", text: "a,b,y\n1,2,p\n,3,q\n5,4,q\n9,5,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "a:number b:number | 1 2 >p | 5 3 >q | 5 4 >q | 9 5 >q"},
	{name: "a gap in numbers, refused", text: "a,b,y\n1,2,p\n,3,q\n5,4,q\n", learn: ColumnOptions{Missing: MissingError}, err: ErrFormat, says: []string{"train.csv:3", `"a" is empty`, "fill the value in"}},
	{name: "a gap in categories", text: "a,b,y\nu,2,p\n?,3,q\nv,4,q\nv,5,q\n", want: "a:category b:number [a=u,a=v,a=(missing),b] | 1 0 0 2 >p | 0 0 1 3 >q | 0 1 0 4 >q | 0 1 0 5 >q"},
	{name: "a gap in categories, filled", text: "a,b,y\nu,2,p\n?,3,q\nv,4,q\nv,5,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "a:category b:number [a=u,a=v,b] | 1 0 2 >p | 0 1 3 >q | 0 1 4 >q | 0 1 5 >q"},
	{name: "a gap in categories, refused", text: "a,b,y\nu,2,p\n?,3,q\nv,4,q\n", learn: ColumnOptions{Missing: MissingError}, err: ErrFormat, says: []string{"train.csv:3", `"a" is empty`}},
	{name: "a gap in booleans", text: "a,b,y\nyes,2,p\n,3,q\nno,4,q\nno,5,q\n", want: "a:boolean b:number [a,a=(missing),b] | 1 0 2 >p | 0 1 3 >q | 0 0 4 >q | 0 0 5 >q"},
	{name: "a gap in booleans, filled", text: "a,b,y\nyes,2,p\n,3,q\nyes,4,q\nno,5,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "a:boolean b:number | 1 2 >p | 1 3 >q | 1 4 >q | 0 5 >q"},
	{name: "a gap in booleans, refused", text: "a,b,y\nyes,2,p\n,3,q\nno,4,q\n", learn: ColumnOptions{Missing: MissingError}, err: ErrFormat, says: []string{"train.csv:3", `"a" is empty`}},
	{name: "a gap in dates", text: "a,b,y\n1970-01-03,2,p\n,3,q\n1970-01-05,4,q\n1970-01-09,5,q\n", want: "a:time b:number [a,a=(missing),b] | 2 0 2 >p | 4 1 3 >q | 4 0 4 >q | 8 0 5 >q"},
	{name: "a gap in dates, filled", text: "a,b,y\n1970-01-03,2,p\n,3,q\n1970-01-05,4,q\n1970-01-09,5,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "a:time b:number | 2 2 >p | 4 3 >q | 4 4 >q | 8 5 >q"},
	{name: "a gap in dates, refused", text: "a,b,y\n1970-01-03,2,p\n,3,q\n1970-01-05,4,q\n", learn: ColumnOptions{Missing: MissingError}, err: ErrFormat, says: []string{"train.csv:3", `"a" is empty`}},
	{name: "a column that is all gaps", text: "a,b,y\n,2,p\n,3,q\n", want: "b:number | 2 >p | 3 >q", left: "a", told: []string{`"a" is left out: it has no values`}},
	{name: "one value and gaps", text: "a,b,y\n7,2,p\n,3,q\n", want: "a:number b:number [a,a=(missing),b] | 7 0 2 >p | 7 1 3 >q"},
	{name: "one value and gaps, filled", text: "a,b,y\n7,2,p\n,3,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "b:number | 2 >p | 3 >q", left: "a", told: []string{"all its values are 7"}},
	{name: "one text and gaps, filled", text: "a,b,y\nu,2,p\n,3,q\n", learn: ColumnOptions{Missing: MissingFill}, want: "b:number | 2 >p | 3 >q", left: "a", told: []string{`all its values are "u"`}},
	{name: "a gap in the later rows alone", text: abc, want: "a:number b:number | 1 2 >x | 3 5 >y", later: "a,b,c\n,7,x\n", laterWant: "a:number b:number | 1 7 >x", laterTold: []string{`"a": 1 values are missing, and none was in the training rows; 1 takes their place`}},
	{name: "later rows far outside", text: lines("a,b,d,e,c\n", 12, func(i int) string { return fmt.Sprintf("%d,%d,1970-01-%02d,%d,x", i, i, i+1, i%5) }), learn: ColumnOptions{Cycles: []string{}}, want: "a:number b:number d:time e:number | 0 0 0 0 >x | 1 1 1 1 >x | 2 2 2 2 >x | 3 3 3 3 >x | 4 4 4 4 >x | 5 5 5 0 >x | 6 6 6 1 >x | 7 7 7 2 >x | 8 8 8 3 >x | 9 9 9 4 >x | 10 10 10 0 >x | 11 11 11 1 >x", later: "a,b,d,e,c\n90,22,1970-01-24,40,x\n-90,-11,1970-01-06,-5,x\n", laterWant: "a:number b:number d:time e:number | 90 22 23 40 >x | -90 -11 5 -5 >x", laterTold: []string{`"a": 2 values, such as 90, are far outside the range of the training rows, 0 to 11`, `"d": 1 values, such as 1970-01-24, are far outside the range of the training rows, 1970-01-01 to 1970-01-12`}},
	{name: "later rows that are huge, as the training rows are", text: lines("a,c\n", 12, func(i int) string { return fmt.Sprintf("%de306,x", 100+i) }),
		want:  "a:number" + rowsShown(12, func(i int) string { return fmt.Sprintf("%.6g >x", float64(100+i)*1e306) }),
		later: "a,c\n100e306,x\n111e306,x\n", laterWant: "a:number | 1e+308 >x | 1.11e+308 >x"},
	{name: "a gap in the later rows alone, refused", text: abc, learn: ColumnOptions{Missing: MissingError}, want: "a:number b:number | 1 2 >x | 3 5 >y", later: "a,b,c\n2,7,x\n,7,x\n", err: ErrFormat, says: []string{"later.csv", `"a" is empty`}},
	{name: "a later category that is missing", text: "a,b,y\nu,2,p\nv,3,q\nv,4,q\n", want: "a:category b:number [a=u,a=v,b] | 1 0 2 >p | 0 1 3 >q | 0 1 4 >q", later: "a,b,y\n,2,p\n", laterWant: "a:category b:number [a=u,a=v,b] | 0 1 2 >p", laterTold: []string{`"v" takes their place`}},
}

var categoryCases = []tableCase{
	{name: "a later category that is new", text: "a,b,y\nu,2,p\nv,3,q\nv,4,q\n", want: "a:category b:number [a=u,a=v,b] | 1 0 2 >p | 0 1 3 >q | 0 1 4 >q", later: "a,b,y\nw,2,p\nu,3,q\n", laterWant: "a:category b:number [a=u,a=v,b] | 0 0 2 >p | 1 0 3 >q", laterTold: []string{`"a": 1 values, such as "w", were not in the training rows`}},
	{name: "a later category that is new, refused", text: "a,b,y\nu,2,p\nv,3,q\nv,4,q\n", learn: ColumnOptions{Unknown: UnknownError}, want: "a:category b:number [a=u,a=v,b] | 1 0 2 >p | 0 1 3 >q | 0 1 4 >q", later: "a,b,y\nu,2,p\nw,2,p\n", err: ErrFormat,
		says: []string{"later.csv", `"a" is "w"`, "none of the levels of the training rows", `"u", "v"`}},
	{name: "rare levels", text: "a,b,y\nu,2,p\nv,3,q\nv,4,q\nw,5,p\nu,2,p\n", learn: ColumnOptions{Rare: 2}, want: "a:category b:number [a=u,a=v,a=(other),b] | 1 0 0 2 >p | 0 1 0 3 >q | 0 1 0 4 >q | 0 0 1 5 >p | 1 0 0 2 >p", told: []string{`1 of its 3 texts are rare and share one column`},
		later: "a,b,y\nw,2,p\nz,3,q\n", laterWant: "a:category b:number [a=u,a=v,a=(other),b] | 0 0 1 2 >p | 0 0 1 3 >q", laterTold: []string{`1 values, such as "z"`}},
	{name: "rare levels, new ones refused", text: "a,b,y\nu,2,p\nv,3,q\nv,4,q\nw,5,p\nu,2,p\n", learn: ColumnOptions{Rare: 2, Unknown: UnknownError}, want: "a:category b:number [a=u,a=v,a=(other),b] | 1 0 0 2 >p | 0 1 0 3 >q | 0 1 0 4 >q | 0 0 1 5 >p | 1 0 0 2 >p", told: []string{"rare"},
		later: "a,b,y\nw,2,p\nz,3,q\n", err: ErrFormat, says: []string{"later.csv", `"z"`}},
	{name: "later booleans with other values", text: "a,b,c,y\nyes,0,2,p\nno,1,3,q\nno,0,4,q\n", want: "a:boolean b:boolean c:number | 1 0 2 >p | 0 1 3 >q | 0 0 4 >q", later: "a,b,c,y\nperhaps,-2.5,2,p\nyes,7,3,q\n3,1,3,q\n", laterWant: "a:boolean b:boolean c:number | 0 -2.5 2 >p | 1 7 3 >q | 0 1 3 >q",
		laterTold: []string{`"a": 2 values, such as "perhaps", were not in the training rows`, `"b": 2 values, such as "-2.5", were not in the training rows`}},
	{name: "a later word in booleans, refused", text: "a,b,y\nyes,0,p\nno,1,q\nno,0,q\n", learn: ColumnOptions{Unknown: UnknownError}, want: "a:boolean b:boolean | 1 0 >p | 0 1 >q | 0 0 >q", later: "a,b,y\nperhaps,0,p\n", err: ErrFormat, says: []string{"later.csv", `"a" is "perhaps", and in the training rows it is no or yes`}},
	{name: "a later number in booleans, refused", text: "a,b,y\nyes,0,p\nno,1,q\nno,0,q\n", learn: ColumnOptions{Unknown: UnknownError}, want: "a:boolean b:boolean | 1 0 >p | 0 1 >q | 0 0 >q", later: "a,b,y\nyes,2,p\n", err: ErrFormat, says: []string{"later.csv", `"b" is 2, and in the training rows it is 0 or 1`}},
	{name: "a later text in booleans that are numbers", text: "a,b,y\nyes,0,p\nno,1,q\nno,0,q\n", want: "a:boolean b:boolean | 1 0 >p | 0 1 >q | 0 0 >q", later: "a,b,y\nyes,x,p\n", err: ErrFormat, says: []string{"later.csv", `"b" is "x", not a number`}},
	{name: "numbers that are declared names", text: "a,b,y\n10,2,p\n20,3,q\n10,4,q\n", learn: ColumnOptions{Categorical: []string{"a"}}, want: "a:category b:number [a=10,a=20,b] | 1 0 2 >p | 0 1 3 >q | 1 0 4 >q", later: "a,b,y\n20.0,2,p\n", laterWant: "a:category b:number [a=10,a=20,b] | 0 1 2 >p"},
	{name: "numbers and names", text: "a,b,y\n10,2,p\n2b,3,q\n10.0,4,q\n", want: "a:category b:number [a=10,a=2b,b] | 1 0 2 >p | 0 1 3 >q | 1 0 4 >q",
		told: []string{`"a" is a category: 2 of its values are numbers, and 1 are not, such as "2b"`}},
	{name: "texts that differ from row to row", text: lines("name,b,y\n", 20, func(i int) string { return fmt.Sprintf("n%d,%d,%d", i, i%2, i%2) }),
		want: "b:boolean" + strings.Repeat(" | 0 >0 | 1 >1", 10), left: "name", told: []string{`"name" is left out: it has 20 distinct texts in 20 rows`}},
	{name: "the number of a customer", text: "Customer ID,store_id,y\n1001,2,p\n1003,2,q\n1002,3,q\n", want: "store_id:number | 2 >p | 2 >q | 3 >q", left: "Customer ID", told: []string{`"Customer ID" is left out: it numbers the rows`}},
	{name: "a number of the row", text: "id,b,y\n1,2,p\n2,3,q\n3,4,q\n", want: "b:number | 2 >p | 3 >q | 4 >q", left: "id", told: []string{`"id" is left out: it numbers the rows`}},
	{name: "numbers of more rows than distinct values are counted", text: lines("id,b,y\n", 1200, func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i%2, i%2) }),
		want: "b:boolean" + strings.Repeat(" | 0 >0 | 1 >1", 600), left: "id", told: []string{`"id" is left out: it numbers the rows`}},
	{name: "the same with a number that comes again", text: lines("id,b,y\n", 1200, func(i int) string { return fmt.Sprintf("%d,%d,%d", min(i, 1198), i%2, i%2) }),
		want: "id:number b:boolean" + rowsShown(1200, func(i int) string { return fmt.Sprintf("%d %d >%d", min(i, 1198), i%2, i%2) })},
}

var timeCases = []tableCase{
	{name: "dates", text: "a,y\n1970-01-03,p\n1970-01-02,q\n", want: "a:time | 2 >p | 1 >q"},
	{name: "dates with a time", text: "a,y\n1970-01-03 12:00:00,p\n1970-01-02 00:00:00,q\n", want: "a:time [a,a sin(hour),a cos(hour)] | 2.5 1.22465e-16 -1 >p | 1 0 1 >q"},
	{name: "RFC 3339", text: "a,y\n1970-01-03T06:00:00Z,p\n1970-01-02T00:00:00+06:00,q\n", want: "a:time [a,a sin(hour),a cos(hour)] | 2.25 1 6.12323e-17 >p | 0.75 -1 -1.83697e-16 >q"},
	{name: "day.month.year", text: "a,y\n31.01.1970,p\n01.02.1970,q\n", want: "a:time | 30 >p | 31 >q"},
	{name: "month/day/year, told by a day above 12", text: "a,y\n01/31/1970,p\n02/01/1970,q\n", want: "a:time | 30 >p | 31 >q"},
	{name: "a date that is none", text: lines("n,d,y\n", 20, func(i int) string { return fmt.Sprintf("%d,%02d/0%d/2020,%c", i, 31-i, 1+(20-i)/20, 'p'+rune(i%2)) }), err: ErrFormat, says: []string{"train.csv:2: ", `column "d": "31/02/2020" is no time where 19 of 20 texts are`, "correct it"}},
	{name: "dates in two ways", text: "d,y\n01.02.2020,p\n2020-02-03,q\n2020-02-04,q\n", err: ErrFormat, says: []string{"train.csv", `column "d": "01.02.2020" is a time that is not written as year-month-day`, "write all alike"}},
	{name: "dates that can be read both ways", text: "a,y\n01/02/1970,p\n02/03/1970,q\n", want: "a:time [a,a sin(weekday),a cos(weekday)] | 31 0 1 >p | 60 0.781831 0.62349 >q", told: []string{`its dates may be day/month/year or month/day/year`}},
	{name: "dates as a spreadsheet writes them", text: "a,y\n1/31/1970,p\n2/1/1970,q\n", want: "a:time | 30 >p | 31 >q"},
	{name: "dates with the name of the month", text: "a,b,c,y\n31-Jan-1970,\"Feb 1, 1970\",3 March 1970,p\n1-Feb-1970,\"Jan 29, 1970\",1 March 1970,q\n", want: "a:time b:time c:time | 30 31 61 >p | 31 28 59 >q"},
	{name: "two digits of the year, a clock of twelve hours, hyphens", text: "a,b,c,d,y\n31/01/70,1/31/1970 6:00 PM,15-01-1970,16.1.70,p\n1/02/70,1/31/1970 12:00 PM,14-01-1970,15.1.70,q\n", want: "a:time b:time c:time d:time | 30 30.75 14 15 >p | 31 30.5 13 14 >q"},
	{name: "UTC, and no separators", text: "a,b,y\n1970-01-02 12:00:00 UTC,19700103T060000,p\n1970-01-02 06:00:00 UTC,19700103T000000,q\n", want: "a:time b:time | 1.5 2.25 >p | 1.25 2 >q"},
	{name: "cyclic parts", text: "a,y\n1970-01-04,p\n1970-01-05,q\n", learn: ColumnOptions{Cycles: []string{"yearday", "hour", "weekday"}}, want: "a:time [a,a sin(weekday),a cos(weekday),a sin(yearday),a cos(yearday)] | 3 0 1 0.0515844 0.998669 >p | 4 0.781831 0.62349 0.0687554 0.997634 >q"},
	{name: "cycles that the rows go through", text: "a,b,y\n1970-01-04 18:00:00,1970-01-04,p\n1970-01-11 18:00:00,1971-01-04,q\n", want: "a:time b:time [a,a sin(weekday),a cos(weekday),a sin(hour),a cos(hour),b,b sin(weekday),b cos(weekday),b sin(yearday),b cos(yearday)] | 3.75 0 1 -1 -1.83697e-16 3 0 1 0.0515844 0.998669 >p | 10.75 0 1 -1 -1.83697e-16 368 0.781831 0.62349 0.0515844 0.998669 >q"},
	{name: "no cycles", text: "a,y\n1970-01-04,p\n1971-01-05,q\n", learn: ColumnOptions{Cycles: []string{}}, want: "a:time | 3 >p | 369 >q"},
	{name: "an unknown cycle", text: "a,y\n1970-01-04,p\n", learn: ColumnOptions{Cycles: []string{"moon"}}, err: domain.ErrParam, says: []string{`Cycles = ["moon"]`, "weekday, yearday, hour"}},
	{name: "a later date of another form", text: "a,y\n1970-01-03,p\n1970-01-02,q\n", want: "a:time | 2 >p | 1 >q", later: "a,y\n05.01.1970,p\n", err: ErrFormat, says: []string{"later.csv", `"a"`, `"05.01.1970"`, "year-month-day"}},
}

var labelCases = []tableCase{
	{name: "the label by its name", text: "a,y,b\n1,p,2\n3,q,5\n", read: labelled("y"), want: "a:number b:number | 1 2 >p | 3 5 >q"},
	{name: "the label by its number", text: "a,y,b\n1,p,2\n3,q,5\n", read: labelled("2"), want: "a:number b:number | 1 2 >p | 3 5 >q"},
	{name: "the label first", text: "y,a,b\np,1,2\nq,3,5\n", read: Options{Label: LabelFirst}, want: "a:number b:number | 1 2 >p | 3 5 >q"},
	{name: "a label that is not there", text: abc, read: labelled("species"), err: ErrFormat, says: []string{"train.csv:1", `no column is named "species"`, `"a", "b", "c"`}},
	{name: "a label by name and no header", text: "1,2,3.5\n3,4,4.5\n", read: labelled("species"), err: ErrFormat, says: []string{"train.csv:1", `"species"`, "no header", "number"}},
	{name: "a label by a number that is too large", text: abc, read: labelled("4"), err: ErrFormat, says: []string{"no column 4", "has 3"}},
	{name: "several targets", text: "a,u,b,v\n1,10,2,.5\n3,20,5,.25\n", read: Options{LabelNames: []string{"v", "u"}, Task: Regression}, want: "a:number b:number | 1 2 >0.5 >10 | 3 5 >0.25 >20"},
	{name: "several classes", text: abc, read: labelled("a", "b"), err: domain.ErrParam, says: []string{"Regression"}},
	{name: "an empty label", text: "a,b,y\n1,2,p\n3,4,\n", read: labelled("y"), err: ErrFormat, says: []string{"train.csv:3", "label is empty"}},
	{name: "a label that may be missing", text: "a,b,y\n1,2,p\n3,4,NA\n", read: labelled("y"), want: "a:number b:number | 1 2 >p | 3 4 >NA", told: []string{`treating "NA" of line 3 as a class`}},
	{name: "a label in latin-1", text: "a,b,y\n1,2,p\n3,4,caf\xe9\n", read: labelled("y"), err: ErrFormat, says: []string{"train.csv:3", "class", "not UTF-8", "iconv"}},
	{name: "one class", text: "a,b,y\n1,2,p\n3,4,p\n", read: labelled("y"), want: "a:number b:number | 1 2 >p | 3 4 >p"},
	{name: "a target that is text", text: "a,b,y\n1,2,3\n3,4,high\n", read: targetLast, err: ErrFormat, says: []string{"train.csv:3", `"high"`, "classification"}},
	{name: "names of rows", text: "who,a,b,y\nann,1,2,p\nbob,3,5,q\n", read: Options{ID: "who"}, want: "a:number b:number | #ann 1 2 >p | #bob 3 5 >q"},
	{name: "names of rows in latin-1", text: "who,a,b,y\nann,1,2,p\nb\xf6b,3,5,q\n", read: Options{ID: "who"}, err: ErrFormat, says: []string{"train.csv:3", `"who"`, "not UTF-8"}},
	{name: "names of rows that are not there", text: abc, read: Options{ID: "who"}, err: ErrFormat, says: []string{"names", `"who"`}},
	{name: "the label alone", text: "y\np\nq\n", err: ErrFormat, says: []string{"no features"}},
}

var chosenCases = []tableCase{
	{name: "columns that are dropped", text: "a,b,c,y\n1,2,7,p\n3,5,8,q\n", learn: ColumnOptions{Drop: []string{"b"}}, want: "a:number c:number | 1 7 >p | 3 8 >q", left: "b"},
	{name: "columns by a pattern", text: "x1,x2,z,y\n1,2,7,p\n3,5,8,q\n", learn: ColumnOptions{Keep: []string{"x*"}}, want: "x1:number x2:number | 1 2 >p | 3 5 >q", left: "z"},
	{name: "a pattern over a name with a slash", text: "km/h,x2,y\n1,2,p\n3,5,q\n", learn: ColumnOptions{Drop: []string{"km*"}}, want: "x2:number | 2 >p | 5 >q", left: "km/h"},
	{name: "a number that is also a name", text: "0,1,2,y\n.5,2,7,p\n3,5,8,q\n", learn: ColumnOptions{Drop: []string{"1"}}, want: "0:number 2:number | 0.5 7 >p | 3 8 >q", left: "1", told: []string{"counts up"}},
	{name: "a column that is not there, dropped", text: abc, learn: ColumnOptions{Drop: []string{"weight"}}, err: domain.ErrParam, says: []string{"train.csv", `"weight"`, `"a", "b", "c"`}},
	{name: "a column that is not there, kept", text: abc, learn: ColumnOptions{Keep: []string{"a", "w*"}}, err: domain.ErrParam, says: []string{"train.csv", `"w*"`}},
	{name: "all columns dropped", text: abc, learn: ColumnOptions{Drop: []string{"*"}}, err: ErrFormat, says: []string{"train.csv", "no column is left"}},
	{name: "a pattern that is none", text: abc, learn: ColumnOptions{Drop: []string{"[a"}}, err: domain.ErrParam, says: []string{`"[a"`, "pattern"}},
}

const abcWant = "a:number b:number | 1 2 >x | 3 5 >y"

var laterCases = []tableCase{
	{name: "later columns in another order", text: abc, want: abcWant, later: "c,b,a\ny,20,10\n", laterWant: "a:number b:number | 10 20 >y", laterTold: []string{"another order"}},
	{name: "a later column is missing", text: abc, want: abcWant, later: "a,c\n10,x\n", err: ErrFormat, says: []string{"later.csv", `there is no column "b"`, `"a", "c"`}},
	{name: "a later column is new", text: abc, want: abcWant, later: "a,extra,b,c\n10,red,20,x\n", laterWant: "a:number b:number | 10 20 >x", laterTold: []string{`"extra", which are ignored`}},
	{name: "later rows without a header", text: abc, want: abcWant, later: "10,20,x\n", err: ErrFormat, says: []string{"later.csv"}},
	{name: "later rows without labels", text: abc, want: abcWant, later: "b,a\n20,10\n", laterRead: noLabel, laterWant: "a:number b:number | 10 20", laterTold: []string{"another order"}},
	{name: "later rows whose label is not wanted", text: abc, want: abcWant, later: "b,c,a\n20,x,10\n", laterRead: noLabel, laterWant: "a:number b:number | 10 20", laterTold: []string{"another order"}},
	{name: "a later label is missing", text: abc, want: abcWant, later: "a,b\n10,20\n", err: ErrFormat, says: []string{"later.csv", `no column is named "c"`}},
	{name: "one later row under names that count up", text: "0,1,2\n.5,1,x\n1,4,y\n", want: "0:number 1:number | 0.5 1 >x | 1 4 >y", told: []string{"counts up"}, later: "0,1,2\n7,8,x\n", laterWant: "0:number 1:number | 7 8 >x", laterTold: []string{"counts up"}},
	{name: "one later row of texts", text: "a,b\nu,x\nv,y\nv,x\n", read: Options{Header: HeaderYes}, want: "a:category [a=u,a=v] | 1 0 >x | 0 1 >y | 0 1 >x", later: "a,b\nu,x\n", laterWant: "a:category [a=u,a=v] | 1 0 >x"},
	{name: "unnamed later rows", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", later: "7,8,y\n", laterWant: "column 1:number column 2:number | 7 8 >y"},
	{name: "unnamed later rows without labels", text: "1,x,2\n3,y,5\n", read: labelled("2"), want: "column 1:number column 3:number | 1 2 >x | 3 5 >y", later: "7,8\n", laterRead: noLabel, laterWant: "column 1:number column 3:number | 7 8"},
	{name: "unnamed later rows whose label is not wanted", text: "1,x,2\n3,y,5\n", read: labelled("2"), want: "column 1:number column 3:number | 1 2 >x | 3 5 >y", later: "7,x,8\n", laterRead: noLabel, laterWant: "column 1:number column 3:number | 7 8"},
	{name: "unnamed later rows that lack their label", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", later: "7,8\n", err: ErrFormat, says: []string{"later.csv", "has 2 columns", "had 3"}},
	{name: "a later array that lacks its label", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", laterFile: "later.npy", later: arrayOf("<f8", "False", "(1, 2)", []float64{7, 8}),
		err: ErrFormat, says: []string{"later.npy", "has 2 columns", "had 3, the labels among them"}},
	{name: "unnamed later rows of another width", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", later: "7,8,9,y\n", err: ErrFormat, says: []string{"later.csv", "has 4 columns", "had 3"}},
	{name: "names for rows that had none", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", later: "b,a,c\n7,8,y\n", laterWant: "column 1:number column 2:number | 7 8 >y"},
	{name: "a number as a name of rows that had none", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y",
		later: "3,b,c\n7,8,y\n", laterRead: Options{Header: HeaderYes}, laterWant: "column 1:number column 2:number | 7 8 >y"},
	{name: "a later column that is an input and the label", text: abc, want: abcWant, later: "a,b,c\n10,20,x\n", laterRead: labelled("a"),
		err: ErrFormat, says: []string{"later.csv", `"a" is read as a label`, `labels are "c"`}},
	{name: "an unnamed later column that is an input and the label", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y",
		later: "7,8,y\n", laterRead: labelled("1"), err: ErrFormat, says: []string{"later.csv", `"column 1" is read as a label`, `labels are "column 3"`}},
	{name: "a later text in a column of numbers", text: abc, want: abcWant, later: "a,b,c\n10,many,x\n", err: ErrFormat, says: []string{"later.csv", `"b" is "many", not a number`}},
	{name: "a later infinity", text: abc, want: abcWant, later: "a,b,c\n10,inf,x\n", err: ErrFormat, says: []string{"later.csv:2", `"b"`, `"inf"`}},
	{name: "a later integer of 2^53", text: abc, want: abcWant, later: "a,b,c\n10,9007199254740993,x\n", err: ErrFormat, says: []string{"later.csv", `"b"`, "2^53"}},
	{name: "a later boolean in other words for it", text: "a,b,y\nyes,1,p\nno,2,q\n", want: "a:boolean b:number | 1 1 >p | 0 2 >q", later: "a,b,y\nTrue,1,p\n0,3,q\n", laterWant: "a:boolean b:number | 1 1 >p | 0 3 >q"},
	{name: "a later array", text: "1,2,x\n3,5,y\n", want: "column 1:number column 2:number | 1 2 >x | 3 5 >y", laterFile: "later.npy", later: arrayOf("<f8", "False", "(1, 2)", []float64{7, 8}), laterRead: noLabel, laterWant: "column 1:number column 2:number | 7 8"},
}
