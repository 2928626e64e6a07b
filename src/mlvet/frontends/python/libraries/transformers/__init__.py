"""transformers and the libraries around it: tokenizers, data sets, configurations and pretrained models."""
