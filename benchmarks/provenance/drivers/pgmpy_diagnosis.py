"""pgmpy: a diagnosis network, asked by variable elimination and by belief propagation."""

import json
import sys
from pathlib import Path

from pgmpy.factors.discrete import TabularCPD
from pgmpy.global_vars import config
from pgmpy.inference import BeliefPropagation, VariableElimination
from pgmpy.models import BayesianNetwork

config.SHOW_PROGRESS = False
chances = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
smoker = TabularCPD("smoker", 2, chances["smoker"])
cancer = TabularCPD("cancer", 2, chances["cancer"], evidence=["smoker"], evidence_card=[2])
cold = TabularCPD("cold", 2, chances["cold"])
cough = TabularCPD("cough", 2, chances["cough"], evidence=["cancer", "cold"], evidence_card=[2, 2])
scan = TabularCPD("scan", 2, chances["scan"], evidence=["cancer"], evidence_card=[2])
edges = [("smoker", "cancer"), ("cancer", "cough"), ("cold", "cough"), ("cancer", "scan")]
network = BayesianNetwork(edges)
network.add_cpds(smoker, cancer, cold, cough, scan)
seen = {"cough": 1, "scan": 1}
eliminated = VariableElimination(network).query(["cancer"], evidence=seen, show_progress=False)
propagated = BeliefPropagation(network).query(["cancer"], evidence=seen, show_progress=False)
print([repr(float(number)) for number in eliminated.values], [repr(float(number)) for number in propagated.values])
