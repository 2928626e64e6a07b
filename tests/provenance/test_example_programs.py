"""The example programs compute what they say: each against a closed form, a definition or a count by hand."""

from __future__ import annotations

import gzip
import importlib
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "provenance"
DATA = FOLDER / "data"

Graph = dict[str, dict[str, float]]
Program = Callable[[str], ModuleType]


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    """Imports an example program as a module; afterwards none of them is left in this process."""

    def load(name: str) -> ModuleType:
        module = importlib.import_module(name)
        assert Path(str(module.__file__)).parent == FOLDER
        return module

    sys.path.insert(0, str(FOLDER))
    yield load
    sys.path.remove(str(FOLDER))
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").parent == FOLDER:
            del sys.modules[name]


@pytest.fixture(scope="module")
def followers(program: Program) -> Graph:
    graph: Graph = program("graphs").read_graph(DATA / "followers.txt")
    return graph


def weights(graph: Graph) -> np.ndarray[Any, Any]:
    """W[u, v] is the weight of the edge from v to u."""
    number = {node: index for index, node in enumerate(graph)}
    matrix = np.zeros((len(graph), len(graph)))
    for source, targets in graph.items():
        for target, weight in targets.items():
            matrix[number[target], number[source]] = weight
    return matrix


def per_column(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The matrix with columns that sum up to 1, where they are not 0."""
    sums = matrix.sum(axis=0)
    return matrix / np.where(sums == 0, 1, sums)


def even(graph: Graph) -> dict[str, float]:
    return {node: 1 / len(graph) for node in graph}


def solved(matrix: np.ndarray[Any, Any], base: Any, damping: float = 0.85) -> np.ndarray[Any, Any]:
    """The ranks for which rank = base + damping * matrix rank."""
    size = len(matrix)
    return np.linalg.solve(np.eye(size) - damping * matrix, np.broadcast_to(base, size))


class TestRanks:
    def test_pagerank(self, program: Program, followers: Graph) -> None:
        module = program("pagerank")
        ranks = module.pagerank(module.equal_shares(followers), even(followers), epsilon=1e-13, max_iterations=300)
        wanted = solved(per_column(weights(followers) > 0), 0.15 / len(followers))
        assert list(ranks.values()) == pytest.approx(wanted, rel=1e-9)

    @pytest.mark.parametrize("name", ["weighted_pagerank", "pagerank_arrays"])
    def test_weighted_pagerank(self, program: Program, followers: Graph, name: str) -> None:
        if name == "weighted_pagerank":
            ranks = program(name).weighted_pagerank(followers, even(followers), epsilon=1e-13, max_iterations=300)
            found = list(ranks.values())
        else:
            targets, sources = np.nonzero(weights(followers))
            given = weights(followers)[targets, sources]
            first = np.array(list(even(followers).values()))
            found = program(name).pagerank(given, sources, targets, first, epsilon=1e-13, max_iterations=300)
        assert found == pytest.approx(solved(per_column(weights(followers)), 0.15 / len(followers)), rel=1e-9)

    def test_an_account_without_outgoing_weight_gives_nothing(self, program: Program) -> None:
        graph = {"a": {"b": 0.0}, "b": {}}
        ranks = program("weighted_pagerank").weighted_pagerank(graph, even(graph))
        assert ranks == pytest.approx({"a": 0.075, "b": 0.075})

    def test_undirected_pagerank(self, program: Program) -> None:
        module = program("undirected_pagerank")
        graph = program("graphs").read_graph(DATA / "friends.txt")
        found = module.undirected_pagerank(module.undirected(graph), even(graph), epsilon=1e-13, max_iterations=300)
        both_ways = weights(graph) + weights(graph).T
        assert list(found.values()) == pytest.approx(solved(per_column(both_ways), 0.15 / len(graph)), rel=1e-9)

    def test_an_edge_that_is_listed_both_ways_is_one_edge(self, program: Program) -> None:
        listed = {"a": {"b": 2.0, "a": 1.0}, "b": {"a": 2.0}}
        assert program("undirected_pagerank").undirected(listed) == {("a", "b"): 2.0}

    def test_visits_of_links(self, program: Program) -> None:
        visits = program("graphs").read_graph(DATA / "visits.txt")
        found = program("visits_of_links_pagerank").visits_of_links_pagerank(
            visits, dict.fromkeys(visits, 1.0), epsilon=1e-12, max_iterations=300
        )
        assert list(found.values()) == pytest.approx(solved(per_column(weights(visits)), 0.15), rel=1e-9)

    def test_weighted_visits_of_links(self, program: Program) -> None:
        visits = program("graphs").read_graph(DATA / "visits.txt")
        links = weights(visits) > 0
        popular = links.sum(axis=1)
        found = program("weighted_visits_of_links_pagerank").weighted_visits_of_links_pagerank(
            visits, dict(zip(visits, popular.tolist(), strict=True)), dict.fromkeys(visits, 1.0), epsilon=1e-12
        )
        favour = per_column(links * popular[:, None])
        assert list(found.values()) == pytest.approx(solved(favour * per_column(weights(visits)), 0.15), rel=1e-9)

    def test_personalized_pagerank(self, program: Program, followers: Graph) -> None:
        graph = {**followers, "nobody": {}}
        teleport = {**dict.fromkeys(graph, 0.0), "ada": 0.75, "nobody": 0.25}
        found = program("personalized_pagerank").personalized_pagerank(
            graph, teleport, even(graph), epsilon=1e-13, max_iterations=300
        )
        back = np.array(list(teleport.values()))
        matrix = per_column(weights(graph))
        matrix[:, matrix.sum(axis=0) == 0] = back[:, None]
        assert list(found.values()) == pytest.approx(solved(matrix, 0.15 * back), rel=1e-9)
        assert sum(found.values()) == pytest.approx(1)

    def test_collusionrank(self, program: Program, followers: Graph) -> None:
        blame = {**dict.fromkeys(followers, 0.0), "cheap_watches": -1.0}
        found = program("collusionrank").collusionrank(followers, blame, blame, epsilon=1e-13, max_iterations=300)
        back = np.array(list(blame.values()))
        assert list(found.values()) == pytest.approx(solved(per_column(weights(followers).T), 0.15 * back), rel=1e-9)
        assert max(found.values()) <= 0

    def test_textrank(self, program: Program) -> None:
        module = program("textrank")
        sentences = [module.words(text) for text in module.read_sentences(DATA / "lighthouse.txt")]
        importance = {word: float(len(word)) for sentence in sentences for word in sentence}
        found = module.textrank(sentences, importance, [1.0] * len(sentences), epsilon=1e-12, max_iterations=300)
        overlaps = np.zeros((len(sentences), len(sentences)))
        for (i, one), (j, other) in product(enumerate(sentences), repeat=2):
            if i != j:
                lengths = math.log(len(one)) + math.log(len(other))
                overlaps[i, j] = sum(importance[word] for word in set(one) & set(other)) / lengths
        assert found == pytest.approx(solved(per_column(overlaps), 0.15), rel=1e-9)

    def test_the_greatest_number_of_iterations_is_kept_to(self, program: Program, followers: Graph) -> None:
        module = program("pagerank")
        shares = module.equal_shares(followers)
        once = module.pagerank(shares, even(followers), max_iterations=1)
        assert module.pagerank(shares, once, epsilon=0.0, max_iterations=2) == module.pagerank(
            shares, even(followers), epsilon=0.0, max_iterations=3
        )
        assert module.pagerank(shares, even(followers), epsilon=10.0) == once


@pytest.fixture(scope="module")
def graph(program: Program) -> Graph:
    graph: Graph = program("graphs").read_graph(DATA / "followers.txt", 60)
    return graph


class TestSimilarity:
    def test_simrank(self, program: Program, graph: Graph) -> None:
        module = program("simrank")
        found = module.simrank(graph, module.identity(graph), epsilon=1e-13, max_iterations=300)
        shares = per_column(weights(graph).T).T
        size = len(graph)
        itself = np.eye(size).reshape(-1)
        equations = np.eye(size * size) - 0.8 * (1 - itself)[:, None] * np.kron(shares, shares)
        wanted = np.linalg.solve(equations, itself).reshape(size, size)
        assert np.array([list(row.values()) for row in found.values()]) == pytest.approx(wanted, abs=1e-9)

    def test_ascos(self, program: Program, graph: Graph) -> None:
        module = program("ascos")
        found = module.ascos(graph, module.identity(graph), epsilon=1e-13, max_iterations=500)
        shares = per_column(weights(graph).T).T
        wanted = np.zeros_like(shares)
        for column in range(len(graph)):
            equations = np.eye(len(graph)) - 0.9 * shares
            equations[column] = np.eye(len(graph))[column]
            wanted[:, column] = np.linalg.solve(equations, np.eye(len(graph))[column])
        assert np.array([list(row.values()) for row in found.values()]) == pytest.approx(wanted, abs=1e-9)


TREE = """
network tree { }
variable rain { type discrete [ 3 ] { none, some, much }; }
variable wind { type discrete [ 2 ] { calm, storm }; }
variable wet  { type discrete [ 2 ] { yes, no }; }
variable late { type discrete [ 2 ] { yes, no }; }
variable angry { type discrete [ 2 ] { yes, no }; }
probability ( rain ) { table 0.6, 0.3, 0.1; }   // invented
probability ( wind ) { table 0.8, 0.2; }
probability ( wet | rain, wind ) {
  (none, calm) 0.01, 0.99; (some, calm) 0.5, 0.5; (much, calm) 0.9, 0.1;
  (none, storm) 0.05, 0.95; (some, storm) 0.7, 0.3; (much, storm) 1.0, 0.0;
}
probability ( late | wind ) { (calm) 0.1, 0.9; (storm) 0.6, 0.4; }
probability ( angry | late ) { (yes) 0.5, 0.5; (no) 0.02, 0.98; }
"""


def enumerated(network: Any, given: dict[str, str]) -> dict[str, dict[str, float]]:
    """Beliefs by summing up all assignments of states."""
    beliefs = {variable: dict.fromkeys(states, 0.0) for variable, states in network.states.items()}
    for assignment in product(*network.states.values()):
        state = dict(zip(network.states, assignment, strict=True))
        if any(state[variable] != seen for variable, seen in given.items()):
            continue
        weight = math.prod(
            network.tables[name][tuple(state[variable] for variable in scope)] for name, scope in network.scopes.items()
        )
        for variable in state:
            beliefs[variable][state[variable]] += weight
    return {
        variable: {state: weight / sum(row.values()) for state, weight in row.items()}
        for variable, row in beliefs.items()
    }


def observed(network: Any, given: dict[str, str]) -> dict[str, dict[str, float]]:
    return {
        variable: {state: float(given.get(variable, state) == state) for state in states}
        for variable, states in network.states.items()
    }


def in_arrays(network: Any, seen: dict[str, dict[str, float]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tables and observations of a network as arrays."""
    tables = {}
    for name, scope in network.scopes.items():
        assignments = product(*(network.states[variable] for variable in scope))
        numbers = np.array([network.tables[name][assignment] for assignment in assignments])
        tables[name] = numbers.reshape([len(network.states[variable]) for variable in scope])
    return tables, {variable: np.array(list(row.values())) for variable, row in seen.items()}


class TestBayesianNetworks:
    @pytest.mark.parametrize(
        "given", [{}, {"wet": "yes"}, {"rain": "much", "angry": "yes"}, {"wet": "no", "late": "yes"}], ids=str
    )
    def test_beliefs_on_a_tree_are_exact(self, program: Program, given: dict[str, str]) -> None:
        network = program("bif").parse_network(TREE)
        seen = observed(network, given)
        wanted = enumerated(network, given)
        found = program("belief_propagation").belief_propagation(network.scopes, network.tables, seen)
        arrays = program("belief_propagation_arrays").belief_propagation(network.scopes, *in_arrays(network, seen))
        for variable, row in wanted.items():
            assert found[variable] == pytest.approx(row, abs=1e-12)
            assert arrays[variable] == pytest.approx(list(row.values()), abs=1e-12)

    def test_arrays_and_dictionaries_agree_on_a_graph_with_loops(self, program: Program) -> None:
        network = program("bif").read_network(DATA / "lungs.bif")
        seen = observed(network, {"Fatigue": "yes", "Age": "old"})
        found = program("belief_propagation").belief_propagation(network.scopes, network.tables, seen)
        arrays = program("belief_propagation_arrays").belief_propagation(network.scopes, *in_arrays(network, seen))
        for variable, row in found.items():
            assert list(row.values()) == pytest.approx(arrays[variable], abs=1e-12)

    def test_what_is_impossible_is_said(self, program: Program) -> None:
        network = program("bif").parse_network(TREE)
        seen = observed(network, {"rain": "much", "wind": "storm", "wet": "no"})
        with pytest.raises(ValueError, match="impossible"):
            program("belief_propagation").belief_propagation(network.scopes, network.tables, seen)

    def test_a_network_is_read_as_it_was_written(self, program: Program, tmp_path: Path) -> None:
        bif = program("bif")
        network = bif.parse_network(TREE)
        bif.write_network(network, tmp_path / "tree.bif")
        (tmp_path / "tree.bif.gz").write_bytes(gzip.compress((tmp_path / "tree.bif").read_bytes()))
        assert bif.read_network(tmp_path / "tree.bif") == network == bif.read_network(tmp_path / "tree.bif.gz")
        assert network.scopes["wet"] == ("wet", "rain", "wind")
        assert network.tables["wet"]["no", "much", "calm"] == 0.1

    def test_a_table_with_a_row_too_few_is_refused(self, program: Program) -> None:
        with pytest.raises(ValueError, match="late has 2 probabilities"):
            program("bif").parse_network(TREE.replace("(storm) 0.6, 0.4;", ""))

    @pytest.mark.parametrize(
        ("text", "count"), [(TREE, 12), ((DATA / "lungs.bif").read_text(encoding="utf-8"), 20)], ids=["tree", "lungs"]
    )
    def test_faults_are_different_ones_of_three_kinds(self, program: Program, text: str, count: int) -> None:
        network = program("bif").parse_network(text)
        faults = program("inject_faults").injections(network, count, seed=3)
        assert faults == program("inject_faults").injections(network, count, seed=3)
        assert len(faults) == count
        assert all(fault not in faults[:number] for number, fault in enumerate(faults))
        assert {fault.kind for fault in faults} == {"probability", "edge", "structure"}
        for fault in faults:
            faulty = fault.network
            changed = {name for name in network.tables if faulty.tables[name] != network.tables[name]}
            bent = {name for name in network.scopes if faulty.scopes[name] != network.scopes[name]}
            assert changed | bent == {fault.variable}
            assert bent == ({fault.variable} if fault.kind == "structure" else set())
            for row in faulty.rows(fault.variable):
                table = faulty.tables[fault.variable]
                assert sum(table[state, *row] for state in faulty.states[fault.variable]) == pytest.approx(1)
            program("belief_propagation").belief_propagation(faulty.scopes, faulty.tables, observed(faulty, {}))

    def test_a_wrong_structure_has_no_circle(self, program: Program) -> None:
        module = program("inject_faults")
        network = program("bif").parse_network(TREE)
        for fault in module.injections(network, 30, seed=1):
            for variable, parent in module.edges(fault.network):
                assert parent not in module.descendants(fault.network, variable)


class TestTexts:
    def test_sampling_is_the_same_for_the_same_seed(self, program: Program) -> None:
        module = program("gibbs_sampling")
        documents = module.read_documents(DATA / "notices.txt")
        vocabulary = {word for document in documents for word in document}
        given = documents, dict.fromkeys(vocabulary, 1.0), [0.1] * 3, dict.fromkeys(vocabulary, 0.01)
        topics, mixtures, draws = module.gibbs_sampling(*given, iterations=10, seed=5)
        assert (topics, mixtures, draws) == module.gibbs_sampling(*given, iterations=10, seed=5)
        assert topics != module.gibbs_sampling(*given, iterations=10, seed=6)[0]
        for distribution in [
            *(topic.values() for topic in topics),
            *mixtures,
            *(draw for row in draws for draw in row),
        ]:
            assert sum(distribution) == pytest.approx(1)

    def test_sampling_tells_the_topics_of_the_notices_apart(self, program: Program) -> None:
        module = program("gibbs_sampling")
        documents = module.read_documents(DATA / "notices.txt")
        vocabulary = list(dict.fromkeys(word for document in documents for word in document))
        given = documents, dict.fromkeys(vocabulary, 1.0), [0.1] * 3, dict.fromkeys(vocabulary, 0.01)
        topics, mixtures, _ = module.gibbs_sampling(*given, iterations=50, seed=0)
        one_per_topic = ["compost", "bicycle", "orchestra"]
        assert {max(range(3), key=lambda k: topics[k][word]) for word in one_per_topic} == {0, 1, 2}
        assert sum(max(mixture) > 0.7 for mixture in mixtures) > 25

    def test_the_first_draw_follows_the_formula(self, program: Program) -> None:
        """With its own topic taken away, a word sees the other one, which counts 2, and what is expected beforehand."""
        documents, weight, beta = [["tea", "tea"]], {"tea": 2.0}, {"tea": 0.5, "milk": 0.25}
        gibbs = program("gibbs_sampling").gibbs_sampling
        for seed in range(6):
            _, _, draws = gibbs(documents, weight, [0.3, 0.6], beta, iterations=1, seed=seed)
            likely = [(2 + 0.3) * 2.5 / 2.75, 0.6 * 0.5 / 0.75], [0.3 * 0.5 / 0.75, (2 + 0.6) * 2.5 / 2.75]
            wanted = [[part / sum(odds) for part in odds] for odds in likely]
            assert any(draws[0][0] == pytest.approx(one) for one in wanted)

    def test_words_have_the_probabilities_of_the_plan_for_spam(self, program: Program) -> None:
        good = [(False, "tea and cake")] * 4 + [(False, "tea")] * 4
        spam = [(True, "buy tea now, buy pills 100")] * 2 + [(True, "pills")] * 3 + [(True, "cheap")] * 5
        found = program("naive_bayes").word_probabilities(good + spam)
        assert found["tea"] == pytest.approx(0.2 / (1.0 + 0.2))
        assert found["cake"] == 0.01
        assert found["pills"] == 0.99
        assert set(found) == {"tea", "and", "cake", "pills", "cheap"}

    def test_the_fifteen_most_telling_words_decide(self, program: Program) -> None:
        module = program("naive_bayes")
        known = {"pills": 0.99, "tea": 0.2}
        assert module.word_scores("Tea, pills and 7 cakes", known, 0.4, {"and"}) == {
            "tea": 0.2,
            "pills": 0.99,
            "cakes": 0.4,
        }
        assert module.spam_score({"tea": 0.2, "pills": 0.99}) == pytest.approx(0.198 / (0.198 + 0.008))
        many = {f"dull{number}": 0.5 for number in range(40)} | {f"sure{number}": 0.9 for number in range(16)}
        assert module.spam_score(many) == pytest.approx(0.9**15 / (0.9**15 + 0.1**15), abs=1e-15)

    def test_messages_are_read_from_lines_and_from_packed_tables(self, program: Program, tmp_path: Path) -> None:
        read = program("texts").read_messages
        (tmp_path / "lines").write_text("ham\tsee you\tat 8\nspam\tfree pills\n", encoding="utf-8")
        assert read(tmp_path / "lines") == [(False, "see you\tat 8"), (True, "free pills")]
        with zipfile.ZipFile(tmp_path / "tables.zip", "w") as archive:
            archive.writestr("all/One.csv", b'\xef\xbb\xbfCONTENT,CLASS\n"nice, really",0\n')
            archive.writestr("all/Two.csv", b"CONTENT,CLASS\ncheap\xa0pills,1\n")
            archive.writestr("all/Two.arff", b"not a table")
        assert read(tmp_path / "tables.zip:One") == [(False, "nice, really")]
        assert [is_spam for is_spam, _ in read(tmp_path / "tables.zip")] == [False, True]

    def test_sentences_may_go_over_lines(self, program: Program) -> None:
        sentences = program("texts").read_sentences(DATA / "lighthouse.txt")
        assert len(sentences) == 19
        assert all(sentence[-1] == "." and "\n" not in sentence for sentence in sentences)


def test_graphs_are_read_plain_and_packed(program: Program, tmp_path: Path) -> None:
    read = program("graphs").read_graph
    text = "# comment\na b\nb\tc\t2.5\n\nc a\n-1\n"
    (tmp_path / "edges.txt").write_text(text, encoding="utf-8")
    (tmp_path / "edges.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert read(tmp_path / "edges.txt") == {"a": {"b": 1.0}, "b": {"c": 2.5}, "c": {"a": 1.0}}
    assert read(tmp_path / "edges.txt.gz", 1) == {"a": {"b": 1.0}, "b": {}}


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("pagerank.py data/followers.txt", "book_corner"),
        ("pagerank_arrays.py data/followers.txt", "slow_cooking"),
        ("weighted_pagerank.py data/followers.txt", "slow_cooking"),
        ("undirected_pagerank.py data/friends.txt", "walter"),
        ("visits_of_links_pagerank.py data/visits.txt", "cart"),
        ("weighted_visits_of_links_pagerank.py data/visits.txt", "home"),
        ("personalized_pagerank.py data/followers.txt --prefer hugo zoe", "hugo"),
        ("collusionrank.py data/followers.txt --spammers cheap_watches", "cheap_watches"),
        ("simrank.py data/followers.txt --of ada", "stefan"),
        ("ascos.py data/followers.txt --of ada --edges 100 --iterations 20", "ada"),
        ("textrank.py data/lighthouse.txt", "The keeper climbed the stairs"),
        ("gibbs_sampling.py data/notices.txt --topics 3", "orchestra"),
        ("belief_propagation.py data/lungs.bif --given Smoker=yes Age=old", "LungCancer           yes 0.2396"),
        ("belief_propagation_arrays.py data/lungs.bif --given Smoker=yes Age=old", "LungCancer           yes 0.2396"),
        ("naive_bayes.py data/comments.txt --test data/other_comments.txt", "accuracy 0.4889"),
        ("inject_faults.py data/lungs.bif", "Wheezing            edge from Gender"),
    ],
    ids=lambda text: text.split()[0],
)
def test_a_program_runs_on_our_data(command: str, printed: str) -> None:
    done = subprocess.run([sys.executable, *command.split()], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout
    assert done.stderr == ""
