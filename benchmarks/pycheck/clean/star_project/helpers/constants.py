WARMUP = 2
TOTAL = 6
BASE_LR = 0.1
_PRIVATE = "not exported"
