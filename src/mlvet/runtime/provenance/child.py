__import__("sys").path.pop(0)
(
    __import__("sys").path.append(
        (lambda path, up: up(up(up(up(path)))))(__import__("os").path.abspath(__file__), __import__("os").path.dirname)
    )
)
__import__("mlvet.runtime.provenance.recording", fromlist=["main"]).main()
