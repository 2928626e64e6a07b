"""Compare classifiers with cross-validation and a held-out report."""
import warnings

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

MODELS = {
    "logistic": LogisticRegression(max_iter=300),
    "forest": RandomForestClassifier(n_estimators=10, random_state=0),
    "neighbours": KNeighborsClassifier(n_neighbors=3),
}


def load():
    features, labels = make_classification(
        n_samples=120, n_features=8, n_informative=4, random_state=0
    )
    return train_test_split(features, labels, test_size=0.3, random_state=0)


def scale(train, test):
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), scaler.transform(test)


def held_out(model, x_test, truth):
    predicted = model.predict(x_test)
    return {
        "f1": f1_score(truth, predicted),
        "accuracy": accuracy_score(predicted),
    }


def main():
    warnings.simplefilter("ignore")
    x_train, x_test, y_train, y_test = load()
    x_train, x_test = scale(x_train, x_test)
    for name, model in MODELS.items():
        folds = cross_val_score(model, x_train, y_train, cv=3)
        model.fit(x_train, y_train)
        scores = held_out(model, x_test, y_test)
        print(f"{name:>12} cv {folds.mean():.3f} f1 {scores['f1']:.3f} acc {scores['accuracy']:.3f}")


if __name__ == "__main__":
    main()
