"""Estimators: what they make of data, by shape."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.sklearn.splitting import needs_rank, rows_of
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def made(operand: Any, dims: tuple[Dim, ...], dtype: DType | None = dtypes.f64) -> Any:
    return opaque("estimated", [operand], Type(dtype, dims), ndarray)


def known(estimator: Object, name: str, symbol_name: str) -> Dim:
    """A size that fitting gave, else one that data decides."""
    found = estimator.cells.get(name)
    return symbol(machine().fresh(symbol_name)) if found is None else found


class Estimator(Object):
    """Something that is fitted to data. Its settings are its attributes."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        for name, value in keywords.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        return self

    def partial_fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        return self

    def get_params(self, deep: Any = True) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "the settings of an estimator")

    def set_params(self, **params: Any) -> Any:
        return self

    def score(self, X: Any, y: Any = None, *args: Any) -> Any:
        return Scalar(float)


class Transformer(Estimator):
    """An estimator that makes other features."""

    def transform(self, X: Any, *args: Any) -> Any:
        raise Undecided(Reason.UNMODELLED_CALL, "transform")

    def fit_transform(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        self.fit(X, y)
        return self.transform(X)


@model(
    "sklearn.preprocessing.StandardScaler", "sklearn.preprocessing.MinMaxScaler", "sklearn.preprocessing.MaxAbsScaler",
    "sklearn.preprocessing.RobustScaler", "sklearn.preprocessing.Normalizer", "sklearn.preprocessing.PowerTransformer",
    "sklearn.preprocessing.QuantileTransformer", "sklearn.preprocessing.Binarizer", "sklearn.impute.SimpleImputer",
    "sklearn.impute.KNNImputer", "sklearn.preprocessing.OrdinalEncoder",
)  # fmt: skip
class Scaler(Transformer):
    """Features of the same shape in another range."""

    def fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        dims = needs_rank(as_ndarray(X))
        if len(dims) == 2:
            for name in ("mean_", "scale_", "var_", "min_", "data_min_", "data_max_"):
                setattr(self, name, made(as_ndarray(X), dims[1:]))
        return self

    def transform(self, X: Any, *args: Any, **keywords: Any) -> Any:
        array = as_ndarray(X)
        own = dtype_of(array)
        wanted = own if own in (dtypes.f32, dtypes.f64) else dtypes.f64
        return opaque("scaled", [array], Type(wanted, tensor_of(array).shape), ndarray)

    def inverse_transform(self, X: Any, *args: Any) -> Any:
        return self.transform(X)


@model("sklearn.preprocessing.LabelEncoder")
class LabelEncoder(Transformer):
    """Classes as numbers."""

    def fit(self, y: Any, *args: Any) -> Any:  # type: ignore[override]
        self.classes_ = opaque("classes", [], Type(None, (symbol(machine().fresh("classes")),)), ndarray)
        return self

    def transform(self, y: Any, *args: Any) -> Any:
        return opaque("labels", [], Type(dtypes.i64, (rows_of(y),)), ndarray)

    def fit_transform(self, y: Any, *args: Any) -> Any:  # type: ignore[override]
        self.fit(y)
        return self.transform(y)

    def inverse_transform(self, y: Any) -> Any:
        return opaque("classes", [], Type(None, (rows_of(y),)), ndarray)


class Sparse(Object):
    """A sparse matrix of SciPy: the array that it stands for."""

    def __init__(self, array: Any) -> None:
        self.cells["@array"] = array

    def toarray(self) -> Any:
        return self.cells["@array"]

    def todense(self) -> Any:
        return self.cells["@array"]

    @property
    def A(self) -> Any:
        return self.cells["@array"]

    @property
    def shape(self) -> Any:
        return tensor_of(self.cells["@array"]).dims

    def __getitem__(self, index: Any) -> Any:
        return Sparse(self.cells["@array"][index])


@model(
    "sklearn.preprocessing.OneHotEncoder",
    "sklearn.preprocessing.LabelBinarizer",
    "sklearn.preprocessing.MultiLabelBinarizer",
)
class OneHotEncoder(Transformer):
    """Classes as vectors with a single 1."""

    def fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        self.width = symbol(machine().fresh("categories"))
        return self

    def transform(self, X: Any, *args: Any) -> Any:
        width = known(self, "width", "categories")
        array = opaque("one_hot", [], Type(dtypes.f64, (rows_of(X), width)), ndarray)
        dense = self.cells.get("sparse_output", self.cells.get("sparse", True)) is False
        return array if dense else Sparse(array)

    def inverse_transform(self, X: Any) -> Any:
        return opaque("classes", [], Type(None, (rows_of(X), symbol(machine().fresh("columns")))), ndarray)


@model(
    "sklearn.decomposition.PCA", "sklearn.decomposition.TruncatedSVD", "sklearn.decomposition.NMF",
    "sklearn.decomposition.FastICA", "sklearn.decomposition.KernelPCA", "sklearn.manifold.TSNE", "sklearn.manifold.MDS",
    "sklearn.manifold.Isomap",
)  # fmt: skip
class Reducer(Transformer):
    """Fewer features."""

    def __init__(self, n_components: Any = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.n_components = n_components

    def transform(self, X: Any, *args: Any) -> Any:
        array = as_ndarray(X)
        dims = needs_rank(array)
        count = self.n_components
        wide = count if isinstance(count, int) else symbol(machine().fresh("components"))
        wanted = dtypes.f32 if dtype_of(array) is dtypes.f32 else dtypes.f64
        return made(array, (dims[0], wide), wanted)

    def inverse_transform(self, X: Any) -> Any:
        array = as_ndarray(X)
        return made(array, (needs_rank(array)[0], symbol(machine().fresh("features"))))


@model(
    "sklearn.feature_extraction.text.TfidfVectorizer", "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.feature_extraction.text.HashingVectorizer",
)  # fmt: skip
class Vectorizer(Transformer):
    """Texts as counts of words."""

    def fit(self, raw_documents: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:  # type: ignore[override]
        self.width = symbol(machine().fresh("vocabulary"))
        return self

    def transform(self, raw_documents: Any, *args: Any) -> Any:
        width = known(self, "width", "vocabulary")
        return Sparse(opaque("vectorized", [], Type(dtypes.f64, (rows_of(raw_documents), width)), ndarray))


@model("sklearn.preprocessing.PolynomialFeatures", "sklearn.compose.ColumnTransformer")
class Features(Transformer):
    """Features of which the number is not known."""

    def transform(self, X: Any, *args: Any) -> Any:
        return opaque("features", [], Type(dtypes.f64, (rows_of(X), symbol(machine().fresh("features")))), ndarray)


@model("sklearn.cluster.KMeans", "sklearn.cluster.MiniBatchKMeans", "sklearn.mixture.GaussianMixture")
class KMeans(Transformer):
    """Clusters."""

    def __init__(self, n_clusters: Any = 8, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.n_clusters = keywords.get("n_components", n_clusters)

    def fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        array = as_ndarray(X)
        dims = needs_rank(array)
        wanted = dtypes.f32 if dtype_of(array) is dtypes.f32 else dtypes.f64
        self.cluster_centers_ = made(array, (self._count(), *dims[1:]), wanted)
        self.labels_ = made(array, dims[:1], dtypes.i32)
        self.inertia_ = Scalar(float)
        return self

    def _count(self) -> Any:
        return self.n_clusters if isinstance(self.n_clusters, int) else symbol(machine().fresh("clusters"))

    def predict(self, X: Any, *args: Any) -> Any:
        array = as_ndarray(X)
        return made(array, needs_rank(array)[:1], dtypes.i32)

    def fit_predict(self, X: Any, y: Any = None, *args: Any) -> Any:
        self.fit(X)
        return self.predict(X)

    def transform(self, X: Any, *args: Any) -> Any:
        array = as_ndarray(X)
        return made(array, (needs_rank(array)[0], self._count()))


class Predictor(Estimator):
    """A model of scikit-learn: it predicts a class or a number for each row."""

    def fit(self, X: Any, y: Any = None, *args: Any, **keywords: Any) -> Any:
        array = as_ndarray(X)
        dims = needs_rank(array)
        self.classes = symbol(machine().fresh("classes"))
        self.target = None if y is None else dtype_of(as_ndarray(y))
        self.coef_ = opaque("coef", [array], Type(dtypes.f64, dims[1:]), ndarray)
        return self

    def predict(self, X: Any, *args: Any, **keywords: Any) -> Any:
        return made(as_ndarray(X), (rows_of(X),), self.cells.get("target"))

    def predict_proba(self, X: Any) -> Any:
        return made(as_ndarray(X), (rows_of(X), known(self, "classes", "classes")))

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        self.fit(X, y)
        return self.predict(X)


for _name in (
    "linear_model.LogisticRegression", "linear_model.LinearRegression", "linear_model.Ridge", "linear_model.Lasso",
    "linear_model.SGDClassifier", "linear_model.RidgeClassifier", "svm.SVC", "svm.SVR", "svm.LinearSVC",
    "neighbors.KNeighborsClassifier", "neighbors.KNeighborsRegressor", "tree.DecisionTreeClassifier",
    "tree.DecisionTreeRegressor", "ensemble.RandomForestClassifier", "ensemble.RandomForestRegressor",
    "ensemble.GradientBoostingClassifier", "ensemble.GradientBoostingRegressor", "ensemble.IsolationForest",
    "naive_bayes.GaussianNB", "naive_bayes.MultinomialNB", "neural_network.MLPClassifier", "cluster.DBSCAN",
    "neural_network.MLPRegressor", "gaussian_process.GaussianProcessRegressor", "model_selection.GridSearchCV",
    "model_selection.RandomizedSearchCV", "pipeline.Pipeline",
):  # fmt: skip
    model(f"sklearn.{_name}")(type(_name.rpartition(".")[2], (Predictor,), {"__module__": __name__}))


@model("sklearn.neighbors.NearestNeighbors")
class NearestNeighbors(Estimator):
    """The rows that are nearest to others."""

    def __init__(self, n_neighbors: Any = 5, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.n_neighbors = n_neighbors

    def kneighbors(self, X: Any = None, n_neighbors: Any = None, return_distance: bool = True) -> Any:
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        wide = count if isinstance(count, int) else symbol(machine().fresh("neighbours"))
        places = opaque("neighbours", [], Type(dtypes.i64, (rows_of(X), wide)), ndarray)
        distances = opaque("distances", [], Type(dtypes.f64, (rows_of(X), wide)), ndarray)
        return (distances, places) if return_distance else places


@model("sklearn.pipeline.make_pipeline")
def make_pipeline(*steps: Any, **rest: Any) -> Any:
    return Predictor()


@model("sklearn.preprocessing.normalize", "sklearn.preprocessing.scale", "sklearn.preprocessing.minmax_scale")
def normalize(X: Any, *args: Any, **rest: Any) -> Any:
    array = as_ndarray(X)
    wanted = dtype_of(array) if dtype_of(array) is dtypes.f32 else dtypes.f64
    return opaque("normalize", [array], Type(wanted, tensor_of(array).shape), ndarray)


@model("sklearn.preprocessing.label_binarize")
def label_binarize(y: Any, *, classes: Any, **rest: Any) -> Any:
    return opaque("label_binarize", [], Type(dtypes.i64, (rows_of(y), rows_of(classes))), ndarray)
