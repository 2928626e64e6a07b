"""Names of modules that people import: what tells a misspelling from a package that is not installed here."""

from __future__ import annotations

KNOWN = frozenset(
    """
    Bio Crypto Cython IPython OpenGL OpenSSL PIL absl accelerate aiohttp albumentations allennlp altair apex appdirs
    arviz astropy attr attrs audioread autogluon av avalanche azure bayes_opt bert bitsandbytes blackjax bokeh boto3
    botocore box braceexpand brax bs4 cachetools catboost cattrs chainer chex click clip cloudpickle clu cma coax
    colorama comet_ml compressai contourpy coremltools cupy cv2 cvxpy cycler cython d2l dali dask dataclasses_json
    datasets deap decord deepspeed detectron2 dgl diffrax diffusers dill dipy distrax distributed dm_control dm_env
    dm_pix docker docopt dotenv easydict edward efficientnet_pytorch einops elasticsearch emcee ensembl equinox
    espnet evaluate fairscale fairseq faiss fastai fastapi fastprogress fasttext ffmpeg filelock fire flair
    flash_attn flask flax fsspec ftfy functorch fvcore gast gdown gensim geopandas gin git gluonnlp gluonts google
    gpytorch gradio graphviz grpc gym gymnasium h5py haiku higher horovod httpx huggingface_hub hydra hyperopt
    igraph imageio imagenetv2_pytorch imblearn imgaug imutils insightface iopath ipdb ipywidgets jax jaxlib jaxopt
    jaxtyping jieba jinja2 joblib jraph json5 jsonlines jsonschema kaggle kagglehub keras keras_applications
    keras_core keras_cv keras_hub keras_nlp keras_preprocessing keras_rs keras_tuner kfac kornia kornia_rs langchain
    lasagne learn2learn librosa lightfm lightgbm lightning lightning_fabric linear_operator litgpt lion_pytorch
    llvmlite lmdb loguru lpips lxml mamba_ssm markdown marshmallow matplotlib mediapipe medmnist meshio mido
    minigrid mir_eval ml_collections ml_dtypes mlflow mlxtend mmcv mmdet mmengine mmseg mock monai motor mpi4py
    msgpack mteb mujoco multiprocess music21 mxnet namex natsort neptune nervananeon netCDF4 networkx
    neural_tangents nevergrad nibabel nilearn nltk nni numba numexpr numpy numpyro nvidia nvtx ogb omegaconf onnx
    onnxruntime onnxsim open3d open_clip openai opencv openpyxl openslide openvino opt_einsum optax optree optuna
    orbax orjson overrides packaging paddle pandas pandas_datareader patsy peft perceiver pettingzoo pexpect plotly
    plotnine pmdarima polars portalocker prefetch_generator pretrainedmodels prettytable prophet proto psutil
    psycopg2 pyarrow pyaudio pybullet pycocoevalcap pycocotools pycuda pydantic pydicom pydot pydub pyecharts pygame
    pyglet pygments pyhocon pylab pymc pymongo pynvml pyod pyparsing pyro pysptk pyspark pystan pytesseract pytest
    pytorch3d pytorch_fid pytorch_lightning pytorch_metric_learning pytorch_msssim pytorch_ranger
    pytorch_transformers pytz pyvista pywt pyworld radam rasterio ray rdkit redis regex reportlab requests resampy
    rich rouge rouge_score ruamel s3fs sacred sacrebleu safetensors sagemaker sb3_contrib scann schedulefree
    scikitplot scipy seaborn segmentation_models segmentation_models_pytorch sentence_transformers sentencepiece
    seqeval setproctitle setuptools shap shapely shortuuid simplejson simpy six skimage sklearn sktime slim
    smart_open smplx snntorch sonnet soundfile soxr spacy speechbrain sqlalchemy stable_baselines3 statsmodels
    streamlit submitit sympy t5 tables tabulate tbb tenacity tensorboard tensorboardX tensorboard_logger tensorflow
    tensorflow_addons tensorflow_datasets tensorflow_decision_forests tensorflow_docs tensorflow_federated
    tensorflow_hub tensorflow_io tensorflow_model_optimization tensorflow_probability tensorflow_ranking
    tensorflow_recommenders tensorflow_similarity tensorflow_text tensorlayer tensorpack tensorrt tensorstore
    termcolor textblob textdistance tf2onnx tf_agents tf_keras tf_slim thop threadpoolctl tifffile tiktoken timm
    tokenizers toml tomli toolz torch torch_cluster torch_ema torch_geometric torch_optimizer torch_scatter
    torch_sparse torch_spline_conv torch_xla torchao torchaudio torchcrepe torchdata torchdiffeq torchelastic
    torchinfo torchio torchlibrosa torchmetrics torchnet torchrec torchrl torchscale torchsde torchsummary torchtext
    torchtune torchtyping torchvision torchviz torchx tornado tqdm trax treelite trimesh triton trl tslearn
    turbojpeg typeguard typer typing_extensions ujson umap unidecode unsloth urllib3 uvicorn vega_datasets vispy
    visdom vit_pytorch vllm voxelmorph wandb warprnnt_pytorch webdataset webrtcvad werkzeug wget whisper wordcloud
    x_transformers xarray xformers xgboost xlrd xlsxwriter xxhash yacs yaml yfinance youtokentome zarr zmq zstandard
    """.split()
)

STUBBED = frozenset(
    """
    bs4 boto3 botocore cachetools dateutil docutils gflags google grpc h5py jmespath jsonschema lxml markdown
    networkx openpyxl pandas paramiko peewee pexpect pkg_resources psutil psycopg2 pycocotools pygments pynvml pytz
    regex requests seaborn setuptools shapely simplejson six tabulate tensorflow toml tqdm ujson xmltodict xxhash
    yaml
    """.split()
)
"""Packages whose types a checker may take from stubs of other people; what those lack, the package may have."""

DEPARTED = frozenset(
    """
    numpy.float numpy.int numpy.object numpy.complex numpy.str numpy.typeDict numpy.asscalar numpy.float_ numpy.Inf
    numpy.NaN numpy.infty numpy.product numpy.cumproduct numpy.alltrue numpy.sometrue numpy.in1d numpy.trapz
    numpy.row_stack jax.tree_map jax.tree_multimap jax.ops.index_update jax.ops.index_add jax.ops.index
    tensorflow.contrib tensorflow.placeholder tensorflow.Session tensorflow.InteractiveSession
    tensorflow.get_variable tensorflow.app tensorflow.flags tensorflow.layers tensorflow.gfile
    tensorflow.global_variables_initializer tensorflow.log tensorflow.random_normal tensorflow.truncated_normal
    tensorflow.ConfigProto tensorflow.reset_default_graph tensorflow.set_random_seed tensorflow.variable_scope
    tensorflow.placeholder_with_default tensorflow.to_float tensorflow.to_int32 tensorflow.examples
    sklearn.cross_validation sklearn.grid_search sklearn.externals.joblib keras.utils.np_utils keras.layers.merge
    keras.layers.core keras.layers.convolutional keras.layers.normalization keras.wrappers torch._six
    scipy.misc.imread scipy.misc.imresize scipy.misc.imsave pandas.Panel networkx.from_numpy_matrix
    networkx.to_numpy_matrix PIL.Image.ANTIALIAS matplotlib.pyplot.hold torch.onnx._export
    """.split()
)
"""Names that current versions no longer have. The installed version decides; this only says that it can be believed."""

GONE = {
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    "cPickle": "pickle",
    "ConfigParser": "configparser",
    "Queue": "queue",
    "StringIO": "io",
    "cStringIO": "io",
    "HTMLParser": "html.parser",
    "httplib": "http.client",
    "cookielib": "http.cookiejar",
    "Tkinter": "tkinter",
    "tkMessageBox": "tkinter.messagebox",
    "__builtin__": "builtins",
    "thread": "_thread",
    "commands": "subprocess",
    "copy_reg": "copyreg",
    "xmlrpclib": "xmlrpc.client",
    "SocketServer": "socketserver",
}


def misspelling_of(name: str, known: frozenset[str] | set[str], *, ends: bool = False) -> str | None:
    """The known name that this one is one slip away from: a letter changed, swapped, left out, doubled or added inside.

    A letter more or less at an end makes a new name too often (`torchx`, `einop`), so it counts only if it doubles its
    neighbour, or with `ends`. Names of fewer than five letters are near too many others; only a swap counts for them.
    """
    if name in known:
        return None
    found = sorted(other for other in known if abs(len(other) - len(name)) <= 1 and _one_slip(name, other, ends=ends))
    return found[0] if found else None


def _one_slip(name: str, other: str, *, ends: bool) -> bool:
    if name == other or (name[:1] != other[:1] and len(name) < 6):
        return False
    if len(name) == len(other):
        differing = [n for n, (a, b) in enumerate(zip(name, other, strict=True)) if a != b]
        swapped = len(differing) == 2 and differing[1] == differing[0] + 1 and name[differing[0]] == other[differing[1]]
        return (swapped and name[differing[1]] == other[differing[0]]) or (len(differing) == 1 and len(name) >= 5)
    longer, shorter = (name, other) if len(name) > len(other) else (other, name)
    if len(shorter) < 5:
        return False
    gap = next((n for n, letter in enumerate(shorter) if longer[n] != letter), len(shorter))
    if longer[gap + 1 :] != shorter[gap:]:
        return False
    at_an_end = gap in (0, len(longer) - 1)
    doubled = gap > 0 and longer[gap] == longer[gap - 1]
    return ends or not at_an_end or doubled
