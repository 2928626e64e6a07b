"""The table of public programs: where they are, how they start, what is asked of them and what must come out.

Derivatives were found by hand with `witness.py`, which re-runs the program with one input changed; mlvet had no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DRIVERS = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Entry:
    """A number of a JSON file."""

    file: str
    keys: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of a text file with rows and columns."""

    file: str
    row: int
    column: int
    separator: str = ","


@dataclass(frozen=True, slots=True)
class Question:
    """What `mlvet why` is asked, and the derivative by one input that is checked.

    `probe` is that input by the name that mlvet must give it, `element` the expression by which the witness changes it
    where the two differ, `at` the SPEC at which it does so, `outside` the same number in a file or after an argument.
    """

    inputs: tuple[str, ...]
    of: str
    probe: str
    derivative: float
    step: float = 1e-5
    first: str = ""
    element: str = ""
    outside: Entry | Cell | str | None = None
    spec: int = 0

    @property
    def at(self) -> str:
        return self.inputs[self.spec]


@dataclass(frozen=True, slots=True)
class Conversion:
    """Recorded steps from Python 2 and old libraries: modules run on the copied folder, then texts replaced."""

    commands: tuple[tuple[str, ...], ...]
    renamed: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """One public program: a script of the repository, or a driver of ours that imports it."""

    name: str
    repository: str
    commit: str
    questions: tuple[Question, ...]
    script: str = ""
    driver: str = ""
    path: str = "."
    arguments: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    text: str = ""
    conversion: Conversion | None = None
    calls: tuple[str, ...] = ()


def module(driver: str, name: str) -> str:
    """The SPEC of a variable of a driver's module level, by the line that assigns it."""
    lines = (DRIVERS / driver).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        targets, equals, _ = line.partition(" = ")
        if equals and not line.startswith(" ") and name in targets.replace(" ", "").split(","):
            return f"{name}@<module>:{number}"
    raise LookupError(f"{driver} assigns no {name}")


FISSIX = ("fissix", "--write", "--nobackups", "--no-diffs")

PROGRAMS = (
    Program(
        "timothyasp/PageRank", "timothyasp/PageRank", "707361d9ba51f68fb69de8d3b76b982f14d861d7",
        (
            Question(("self.ranks@rank:16",), 'p.ranks["Boise State"]',
                     'self.ranks["Northern Colorado"]', 0.006130808677, 1e-3, first='self.ranks["Northern Colorado"]'),
            Question(("self.d@__init__:9",), 'p.ranks["Boise State"]', "self.d", -0.014130863),
        ),
        script="pageRank.py", arguments=("{checkout}/data/NCAA_football.csv", "directed"),
        conversion=Conversion((FISSIX,), (("utils.py", "DG.add_path(", "nx.add_path(DG, "),)),
        calls=("float", "dict items", "len", "sorted", "operator.itemgetter", "str.format of a float"),
    ),
    Program(
        "ashkonf/PageRank", "ashkonf/PageRank", "33c3a78b3f57b5413ae8cf8fa5eb6700646ce629",
        (
            Question((module("ashkonf_pagerank.py", "weights"),), 'ranks["shop"]', 'weights["shop"]["home"]',
                     0.0148347172,
                     outside=Entry("web.json", ("edges", 0, 2))),
            Question(("rsp@power_iteration",), 'ranks["shop"]', "rsp", -0.19329593),
        ),
        driver="ashkonf_pagerank.py", arguments=("web.json",), data=("web.json",),
        calls=("pandas.DataFrame of dict of dict", "DataFrame.copy", "DataFrame.T", "DataFrame.fillna",
               "DataFrame.__setitem__", "DataFrame.sum", "DataFrame.div", "DataFrame.multiply", "DataFrame + float",
               "pandas.Series of dict", "Series.dot", "Series - Series", "math.sqrt", "float < float"),
    ),
    Program(
        "TheAlgorithms page_rank", "TheAlgorithms/Python", "f5988cc09713315817df6a7e327e258013a94440",
        (
            Question(("ranks@page_rank:37",), 'ranks["C"]@page_rank:46', 'ranks["C"]', 0.298496163,
                     first='ranks["C"]'),
            Question(("d@page_rank",), 'ranks["C"]@page_rank:46', "d", -0.452182837),
        ),
        script="graphs/page_rank.py", text="A B C\n",
        calls=("input", "sum of generator", "dict items", "int / int", "print of a dict"),
    ),
    Program(
        "TheAlgorithms gradient_descent", "TheAlgorithms/Python", "f5988cc09713315817df6a7e327e258013a94440",
        (
            Question(("train_data@<module>:9",), "parameter_vector[1]", "train_data[0][1]", 0.36361545, 1e-4),
            Question(("LEARNING_RATE@<module>:19",), "parameter_vector[1]", "LEARNING_RATE", -0.389472965, 1e-7),
        ),
        script="machine_learning/gradient_descent.py",
        calls=("nested tuples", "global variable", "sum by +=", "numpy.allclose of lists", "print of a tuple"),
    ),
    Program(
        "asajadi/fast-pagerank", "asajadi/fast-pagerank", "397a205c8c7ffffa6024b98e8c2542b935ce8b6a",
        (
            Question((module("fast_pagerank_power.py", "weights"),), "ranks[1]", "weights[0]", 0.0132848774,
                     outside=Entry("web.json", ("edges", 0, 2))),
            Question((module("fast_pagerank_power.py", "wishes"),), "ranks[1]", "wishes[1]", 0.0132725767,
                     outside=Entry("web.json", ("wishes", "shop"))),
            Question((module("fast_pagerank_power.py", "weights"),), "solved[1]", "weights[0]", 0.0132848774),
        ),
        driver="fast_pagerank_power.py", arguments=("web.json",), data=("web.json",),
        calls=("numpy.array", "csr_matrix of (data, (i, j))", "sparse.sum(axis)", "numpy.asarray", "reshape",
               "ndarray.nonzero", "fancy index", "float / ndarray", "sparse.T", "float * sparse", "sparse @ sparse",
               "sparse @ ndarray", "ndarray @ ndarray", "newaxis index", "ndarray == float", "numpy.linalg.norm",
               "sum of ndarray", "ndarray.sum", "sparse.eye", "sparse - sparse", "scipy.sparse.linalg.spsolve",
               "numpy.zeros", "numpy.ones"),
    ),
    Program(
        "networkx", "networkx/networkx", "cfc6b79fc53f583aa15a79b2187ae30bd4f480ed",
        (
            Question((module("networkx_pagerank.py", "weights"),), 'ranks["shop"]', 'weights[("home", "shop")]',
                     0.0132848774,
                     outside=Entry("web.json", ("edges", 0, 2))),
            Question((module("networkx_pagerank.py", "wishes"),), 'ranks["shop"]', 'wishes["shop"]', 0.0132725767,
                     outside=Entry("web.json", ("wishes", "shop"))),
            Question((module("networkx_pagerank.py", "weights"),), 'plain["shop"]', 'weights[("home", "shop")]',
                     0.0132848774),
            Question((module("networkx_pagerank.py", "weights"),), 'hubs["home"]', 'weights[("home", "shop")]',
                     0.230235469),
        ),
        driver="networkx_pagerank.py", arguments=("web.json",), data=("web.json",),
        calls=("DiGraph.add_edge", "networkx.to_scipy_sparse_array", "coo_array of list", "sparse.sum(axis)",
               "ndarray == float", "boolean index", "boolean index assignment", "dia_array", "tocsr",
               "sparse @ sparse", "ndarray @ sparse", "numpy.array", "numpy.repeat", "numpy.sum", "ndarray /= float",
               "numpy.absolute", "ndarray.sum", "dict(zip(map(float, ndarray)))", "networkx.stochastic_graph",
               "G.out_degree(weight)", "sum of generator", "dict.fromkeys", "dict.get", "abs", "max of dict values",
               "copy of attribute dicts"),
    ),
    Program(
        "hhchen1105/networkx_addon", "hhchen1105/networkx_addon", "66e464358a7db7f108d716838470f41cbeefd257",
        (
            Question(("c@simrank",), "similar[1][2]", "c", 1.90473599),
            Question(("c@ascos",), "close[1, 2]", "c", 2.74894485),
            Question((module("networkx_addon_similarity.py", "decay"),), "close[1, 2]", "decay", 2.74894485),
        ),
        driver="networkx_addon_similarity.py",
        calls=("defaultdict(int)", "copy.deepcopy of dicts", "copy.deepcopy of ndarray", "+=", "numpy.eye",
               "numpy.zeros", "ndarray element read", "ndarray element write", "abs", "float >= float"),
    ),
    Program(
        "lovit/textrank", "lovit/textrank", "578c7fbbb22b24561b1bd4bab9a9ecc2dc9515e1",
        (
            Question((module("lovit_textrank.py", "bias"),), "keywords.R[2]", "bias[2]", 0.121676521,
                     outside=Entry("sentences.json", ("bias", "word"))),
            Question(("size@textrank.sentence.numpy_textrank_similarity_matrix:96",), "sentences.R[0]", "size[0]",
                     -0.179110855),
        ),
        driver="lovit_textrank.py", arguments=("sentences.json",), data=("sentences.json",),
        calls=("collections.Counter", "defaultdict(int)", "csr_matrix of (list, (i, j))", "sparse.sum(axis)",
               "numpy.asarray", "numpy.where", "fancy index assignment", "numpy.log", "ndarray ** -1",
               "broadcast +", "sparse * sparse", "sparse.transpose", "sparse row slice", "sparse.multiply(ndarray)",
               "sparse >= float", "sparse fancy index", "scipy.sparse.vstack", "sklearn.preprocessing.normalize",
               "sparse * ndarray", "numpy.ones", "reshape", "ndarray.sum", "ndarray.argsort"),
    ),
    Program(
        "mbforbes/py-factorgraph", "mbforbes/py-factorgraph", "9306f181a071338878f34ce8e13ce15a7fec46d3",
        (
            Question(
                ("p@set_potential",), "g._factors[1]._outgoing[0][2]", "p#2[2, 1]", 0.245139476, element="p[2, 1]"
            ),
            Question(("p@set_potential",), "g._factors[1]._outgoing[0][2]", "p[1]", 0.0362275088),
        ),
        script="examples/simplegraph.py",
        calls=("numpy.array", "ndarray.copy", "numpy.ones", "ndarray *= ndarray", "reshape(array)", "ndarray / ndarray",
               "ndarray == inf assignment", "numpy.nan_to_num", "ndarray.sum(axis=tuple)", "sum of ndarray",
               "numpy.isclose", "list += [ndarray]", "sorted"),
    ),
    Program(
        "shuyo/iir LDA", "shuyo/iir", "0dd5ea693d104bc0ef33afbbd1fa7ff5ba9e7915",
        (
            Question((module("lda_topics.py", "alpha"),), "perplexity", "alpha", 0.744976869, 1e-6,
                     outside=Entry("documents.json", ("alpha",))),
            Question((module("lda_topics.py", "beta"),), "topics[0, 5]", "beta", -0.254847645, 1e-6,
                     outside=Entry("documents.json", ("beta",))),
            Question((module("lda_topics.py", "beta"),), "variational", "beta", 4.70113174, 1e-6),
        ),
        driver="lda_topics.py", path="lda", arguments=("documents.json",), data=("documents.json",),
        calls=("numpy.zeros + float", "ndarray element +=", "row view as alias", "column slice", "ndarray * ndarray",
               "ndarray / ndarray", "ndarray.sum", "numpy.random.seed", "numpy.random.randint",
               "numpy.random.multinomial of tracked chances", "ndarray.argmax", "numpy.random.dirichlet",
               "numpy.inner", "numpy.log", "numpy.exp", "numpy.isfinite", "slice assignment", "newaxis index",
               "numpy.transpose", "ndarray /= ndarray", "ndarray element as index"),
    ),
    Program(
        "dinever/antispam", "dinever/antispam", "31511c7355e9214f228ffe7db05572efc2edead9",
        (
            Question((module("antispam_score.py", "table"),), "suspect", 'table["meeting"][1]', 0.000578498105,
                     outside=Entry("tokens.json", (2, "meeting", 1))),
            Question((module("antispam_score.py", "table"),), "retrained", 'table["meeting"][0]', -5.3147603e-05,
                     outside=Entry("tokens.json", (2, "meeting", 0))),
            Question(("INIT_RATING@antispam.Detector:94",), "suspect", "INIT_RATING", 0.00482081753),
        ),
        driver="antispam_score.py", arguments=("tokens.json",), data=("tokens.json",),
        calls=("json.load", "float(int)", "int > int", "list +=", "list.sort", "list slices", "functools.reduce",
               "map of lambda", "class attribute", "unpacking"),
    ),
    Program(
        "dinever/antispam main", "dinever/antispam", "31511c7355e9214f228ffe7db05572efc2edead9",
        (Question(("INIT_RATING@Detector:94",), "return@score", "INIT_RATING", 1.34042667e-06),),
        script="antispam/__init__.py",
        calls=("class attribute", "functools.reduce", "map of lambda"),
    ),
    Program(
        "jinhongjung/pyrwr", "jinhongjung/pyrwr", "946382ce3dde94baae89a2e000af1e3fb497a11c",
        (
            Question(("data@utils.reader.read_directed_graph:11",), "scores[1]", "data[0]", 0.02195711,
                     outside=Cell("web.tsv", 0, 2, "\t")),
            Question((module("pyrwr_scores.py", "restart"),), "scores[1]", "restart", -0.0471334156),
        ),
        driver="pyrwr_scores.py", arguments=("web.tsv",), data=("web.tsv",),
        calls=("numpy.loadtxt", "column slice", "numpy.amin", "numpy.amax", "slice assignment",
               "csr_matrix of (data, (i, j))", "sparse.sum(axis)", "numpy.asarray", "flatten", "numpy.maximum",
               "float / ndarray", "scipy.sparse.spdiags", "sparse.dot(sparse)", "sparse.T", "sparse.dot(ndarray)",
               "numpy.sum", "numpy.linalg.norm", "ndarray element write", "float <= float", "tqdm", "% of a float"),
    ),
    Program(
        "pgmpy", "pgmpy/pgmpy", "94105f10d4177e4420e2fa6766d819c19aa6b66e",
        (
            Question((module("pgmpy_diagnosis.py", "chances"),), "eliminated.values[1]", 'chances["scan"][1][0]',
                     -2.33908058,
                     1e-6, outside=Entry("diagnosis.json", ("scan", 1, 0))),
            Question((module("pgmpy_diagnosis.py", "chances"),), "propagated.values[1]", 'chances["cough"][1][2]',
                     0.256337597,
                     1e-6, outside=Entry("diagnosis.json", ("cough", 1, 2))),
        ),
        driver="pgmpy_diagnosis.py", arguments=("diagnosis.json",), data=("diagnosis.json",),
        calls=("numpy.array of nested lists", "flatten", "reshape", "ndarray.copy", "numpy.allclose",
               "opt_einsum.contract", "numpy.einsum", "ndarray tuple index", "newaxis index", "swapaxes",
               "ndarray * ndarray", "ndarray / ndarray", "numpy.sum(axis)", "numpy.isnan assignment",
               "ndarray.sum", "functools.reduce"),
    ),
    Program(
        "sublee/elo", "sublee/elo", "b2a83a9903deaf05ef8b89cbb21eb7e243fcdda6",
        (
            Question((module("elo_season.py", "ratings"),), 'ratings["ann"]', 'ratings["dot"]', 0.0627729387, 1e-2,
                     first='ratings["ann"]', outside=Entry("season.json", ("ratings", "dot"))),
            Question(("self.beta@__init__:184",), 'ratings["ann"]', "self.beta", -0.0178053477, 1e-2),
        ),
        driver="elo_season.py", arguments=("season.json",), data=("season.json",),
        calls=("json", "float(float)", "int ** float", "sum of generator", "isinstance(x, float)", "float class called",
               "hasattr", "sorted by key", "tuple assignment"),
    ),
    Program(
        "sublee/trueskill", "sublee/trueskill", "3f91835df82ca2918da5559d3b8ada35f11e9a5c",
        (
            Question((module("trueskill_season.py", "start"),), "final", 'start["dot"]', 0.0424743824, 1e-2,
                     first='start["cid"]', outside=Entry("season.json", ("ratings", "dot"))),
            Question((module("trueskill_season.py", "start"),), "spread", 'start["ann"]', 0.0013311762, 1e-2),
        ),
        driver="trueskill_season.py", arguments=("season.json",), data=("season.json",),
        calls=("math.sqrt", "math.exp", "math.log", "math.pi", "int / float", "float ** int", "abs", "max",
               "property", "operators of a class", "__slots__ / class attributes", "isinstance(x, Number)",
               "float(x)", "sum of generator", "sorted by key", "zip", "list subclass", "generators", "x and y"),
    ),
    Program(
        "rlabbe/filterpy", "rlabbe/filterpy", "3b51149ebcff0401ff1e10bf08ffca7b6bbc4a33",
        (
            Question((module("kalman_track.py", "seen"),), "speed", "seen[9]", 0.280111158, first="seen[9]",
                     outside=Entry("places.json", (9,))),
            Question((module("kalman_track.py", "noise"),), "speed", "noise", 0.0734298616),
        ),
        driver="kalman_track.py", arguments=("places.json",), data=("places.json",),
        calls=("numpy.array", "numpy.dot", "ndarray.T", "numpy.linalg.inv", "numpy.atleast_2d", "reshape",
               "ndarray + ndarray", "float * ndarray", "ndarray *= float", "copy.deepcopy", "ndarray.copy",
               "numpy.eye", "numpy.zeros", "numpy.isscalar", "setter property"),
    ),
    Program(
        "albertauyeung/matrix-factorization", "albertauyeung/matrix-factorization-in-python",
        "6ae5043a8cda3d0c6e82b676067d98f777c391e5",
        (Question((module("matrix_factorization.py", "stars"),), "guesses[0, 2]", "stars[4, 2]", 0.11320436,
                  outside=Entry("stars.json", (4, 2))),),
        driver="matrix_factorization.py", arguments=("stars.json",), data=("stars.json",),
        calls=("numpy.random.seed", "numpy.random.normal", "numpy.random.shuffle of a list", "ndarray != 0",
               "numpy.where", "fancy index", "numpy.mean", "ndarray element read", "ndarray element +=",
               "row slice +=", "row view as alias", "ndarray.dot", "ndarray.nonzero", "pow", "numpy.sqrt",
               "newaxis index", "broadcast +", "% of a float"),
    ),
    Program(
        "eriklindernoren/ML-From-Scratch", "eriklindernoren/ML-From-Scratch",
        "a2806c6732eee8d27762edd6d864e0c179d8e9e8",
        (
            Question((module("logistic_fit.py", "measured"),), "chance[6]", "measured[3, 1]", -0.00419808572,
                     outside=Entry("measured.json", ("measured", 3, 1))),
            Question((module("logistic_fit.py", "labels"),), "chance[6]", "labels[6]", 0.407438112,
                     outside=Entry("measured.json", ("labels", 6))),
            Question((module("logistic_fit.py", "measured"),), "centres[0, 1]", "measured[0, 1]", 1 / 3),
        ),
        driver="logistic_fit.py", arguments=("measured.json",), data=("measured.json",),
        calls=("numpy.random.uniform", "numpy.random.choice", "ndarray.dot", "numpy.exp", "ndarray -= ndarray",
               "-ndarray", "numpy.round", "astype(int)", "math.sqrt", "math.pow", "iteration over rows", "numpy.mean",
               "index by list", "row assignment", "float < float", "float('inf')"),
    ),
    Program(
        "joelgrus/data-science-from-scratch", "joelgrus/data-science-from-scratch",
        "d5d0f117f41b3ccab3b07f1ee1fa21cfcf69afa1",
        (
            Question(("outgoing_counts@page_rank:167",), "pr[4]", "outgoing_counts[3]", -0.02125,
                     first="outgoing_counts[5]"),
            Question(("damping@page_rank",), "pr[4]", "damping", 0.05),
        ),
        script="scratch/network_analysis.py",
        calls=("collections.Counter of a generator", "dict comprehension", "dict items +=", "max of generator",
               "NamedTuple", "tqdm", "math.sqrt", "sum of generator", "random.random", "assert float > float"),
    ),
    Program(
        "chonyy/PageRank-HITS-SimRank", "chonyy/PageRank-HITS-SimRank", "675414a5c74d804a77869723f964f2aa3b58a53b",
        (
            Question(("damping_factor@<module>:82",), "graph.nodes[0].pagerank", "damping_factor", -0.154359515,
                     outside="--damping_factor"),
            Question(("decay_factor@<module>:83",), "sim.new_sim[1][2]", "decay_factor",
                     2.49579427, outside="--decay_factor"),
        ),
        script="main.py",
        arguments=("--input_file", "{checkout}/dataset/graph_4.txt", "--iteration", "20", "--damping_factor", "0.15",
                   "--decay_factor", "0.9"),
        calls=("optparse", "attributes of many objects", "sum of generator", "attribute /=", "copy.deepcopy of lists",
               "list of lists", "numpy.asarray of a list, float32", "numpy.round", "numpy.savetxt", "list.index"),
    ),
    Program(
        "Shubhanshuk/SimpleRecommendation", "Shubhanshuk/SimpleRecommendation",
        "7b055388c89e303cc6cfdfb52d7d4b39b104f4b1",
        (
            Question(("file@<module>:5",), 'q_movies["score"][9]', 'file["vote_average"][9]', 0.546369376,
                     element='file.loc[9, "vote_average"]', outside=Cell("movies_metadata.csv", 10, 1)),
            Question(("m@<module>:14",), 'q_movies["score"][9]', "m", -0.000589717297),
        ),
        script="SimpleRecommendation.py", data=("movies_metadata.csv",),
        calls=("pandas.read_csv", "DataFrame column", "Series.mean", "Series.quantile", "Series >= float",
               "DataFrame.copy", "DataFrame.loc[mask]", "DataFrame.apply(axis=1)", "Series item", "default arguments",
               "DataFrame.__setitem__", "DataFrame.sort_values", "DataFrame.head"),
    ),
)  # fmt: skip
