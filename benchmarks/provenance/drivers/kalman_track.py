"""rlabbe/filterpy: a Kalman filter that follows a position."""

import json
import sys
from pathlib import Path

import numpy as np
from filterpy.common import Q_discrete_white_noise
from filterpy.kalman import KalmanFilter

seen = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
noise = 0.5
track = KalmanFilter(dim_x=2, dim_z=1)
track.x = np.array([0.0, 1.0])
track.F = np.array([[1.0, 1.0], [0.0, 1.0]])
track.H = np.array([[1.0, 0.0]])
track.P *= 10.0
track.R = np.array([[noise]])
track.Q = Q_discrete_white_noise(dim=2, dt=1.0, var=0.1)
places = []
for place in seen:
    track.predict()
    track.update(place)
    places.append(float(track.x[0]))
speed = track.x[1]
print([repr(place) for place in places], repr(float(speed)))
