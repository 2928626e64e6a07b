"""TF-IDF and logistic regression over short support tickets."""
from sklearn.cross_validation import train_test_split
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.pipeline import Pipeline

TICKETS = {
    "billing": ["my invoice is wrong", "charged twice this month", "refund my payment", "invoice missing"],
    "login": ["cannot sign in", "password reset fails", "account locked", "sign in loop on phone"],
    "speed": ["pages load slowly", "very slow upload", "slow dashboard", "upload takes minutes"],
}


def flatten(tickets):
    texts, labels = [], []
    for label, group in tickets.items():
        texts.extend(group)
        labels.extend([label] * len(group))
    return texts, labels


def build(c, ngram=2):
    return Pipeline([
        ("tfidf", TfidfVectorizer(ngram_range=(1, ngram), sublinear_tf=True)),
        ("model", LogisticRegression(C=c, max_iter=200)),
    ])


def top_words(pipeline, count):
    names = pipeline.named_steps["tfidf"].get_feature_names_out()
    model = pipeline.named_steps["model"]
    for label, row in zip(model.classes_, model.coef_):
        order = row.argsort()[::-1][:count]
        print(label, [names[i] for i in order])


def main():
    texts, labels = flatten(TICKETS)
    x_train, x_test, y_train, y_test = train_test_split(
        texts, labels, test_size=0.25, stratify=labels, random_state=0
    )
    pipeline = build(c=10.0).fit(x_train, y_train)
    print(classification_report(y_test, pipeline.predict(x_test), zero_division=0))
    top_words(pipeline, 3)


if __name__ == "__main__":
    main()
