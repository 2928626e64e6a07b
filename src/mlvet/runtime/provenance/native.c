/* The part of a replay that runs once for each operation: numbers with places, open rows of the tape, sums of loops.

   open_rows.py has the same three classes in Python, for machines without a compiler, and says what they mean. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>

static PyTypeObject *traced_float = NULL;
static PyObject *traced_int = NULL;
static PyObject *traced = NULL;
static PyObject *name_i = NULL;

/* TracedFloat: a float with its place, without what the collector of cycles would add to each. */

typedef struct {
    PyFloatObject number;
    Py_ssize_t place;
} TracedFloat;

#define IS_TRACED(x) (Py_TYPE(x) == traced_float)
#define VALUE(x) (((PyFloatObject *)(x))->ob_fval)
#define PLACE(x) (((TracedFloat *)(x))->place)

static PyObject *traced_value(PyObject *self, void *closure) { return PyFloat_FromDouble(VALUE(self)); }

static void traced_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyGetSetDef traced_properties[] = {{"v", traced_value, NULL, "the plain value", NULL}, {NULL}};
static PyMemberDef traced_members[] = {{"i", T_PYSSIZET, offsetof(TracedFloat, place), 0, "the place"}, {NULL}};
static PyType_Slot traced_slots[] = {
    {Py_tp_doc, "A float with its plain value `v` and its place `i`."},
    {Py_tp_dealloc, traced_dealloc},
    {Py_tp_members, traced_members},
    {Py_tp_getset, traced_properties},
    {0, NULL},
};
static PyType_Spec traced_spec = {
    .name = "mlvet.runtime.provenance.native.TracedFloat",
    .basicsize = sizeof(TracedFloat),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = traced_slots,
};

static PyObject *made(double value, Py_ssize_t place) {
    PyObject *number = traced_float->tp_alloc(traced_float, 0);
    if (number != NULL) {
        VALUE(number) = value;
        PLACE(number) = place;
    }
    return number;
}

/* The place of an operand; 0 for one that hangs on no input, -1 after an error. */
static Py_ssize_t place_of(PyObject *operand) {
    if (IS_TRACED(operand)) return PLACE(operand);
    if ((PyObject *)Py_TYPE(operand) != traced_int) return 0;
    PyObject *found = PyObject_GetAttr(operand, name_i);
    if (found == NULL) return -1;
    Py_ssize_t place = PyLong_AsSsize_t(found);
    Py_DECREF(found);
    return place;
}

static int partial_of(PyObject *given, double *partial) {
    *partial = PyFloat_AsDouble(given);
    if (*partial == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
        PyErr_Clear();
        *partial = INFINITY;
    }
    return 0;
}

/* Entries: places of parents and the partial derivatives by them. */

typedef struct {
    Py_ssize_t count, room;
    int32_t *parents;
    double *partials;
} Entries;

static int entries_room(Entries *self, Py_ssize_t more) {
    if (self->count + more <= self->room) return 0;
    Py_ssize_t room = self->room ? 2 * self->room : 16;
    while (room < self->count + more) room *= 2;
    int32_t *parents = PyMem_Realloc(self->parents, room * sizeof(int32_t));
    if (parents == NULL) return PyErr_NoMemory(), -1;
    self->parents = parents;
    double *partials = PyMem_Realloc(self->partials, room * sizeof(double));
    if (partials == NULL) return PyErr_NoMemory(), -1;
    self->partials = partials;
    self->room = room;
    return 0;
}

static int entries_add(Entries *self, Py_ssize_t place, double partial) {
    if (place > INT32_MAX) return PyErr_SetString(PyExc_OverflowError, "the tape has more than 2147483647 places"), -1;
    if (self->count == self->room && entries_room(self, 1) < 0) return -1;
    self->parents[self->count] = (int32_t)place;
    self->partials[self->count++] = partial;
    return 0;
}

/* Operands and partial derivatives in turn; operands without a place are passed over. */
static int entries_pairs(Entries *self, PyObject *const *given, Py_ssize_t length) {
    for (Py_ssize_t at = 0; at + 1 < length; at += 2) {
        Py_ssize_t place = place_of(given[at]);
        double partial;
        if (place < 0 || (place > 0 && partial_of(given[at + 1], &partial) < 0)) return -1;
        if (place > 0 && entries_add(self, place, partial) < 0) return -1;
    }
    return 0;
}

static int entries_sequences(Entries *self, PyObject *parents, PyObject *partials) {
    PyObject *places = PySequence_Fast(parents, "parents are a sequence");
    PyObject *slopes = places ? PySequence_Fast(partials, "partial derivatives are a sequence") : NULL;
    int failed = slopes == NULL;
    Py_ssize_t length = failed ? 0 : PySequence_Fast_GET_SIZE(places);
    if (!failed && PySequence_Fast_GET_SIZE(slopes) != length) {
        PyErr_SetString(PyExc_ValueError, "a partial derivative for each parent");
        failed = 1;
    }
    for (Py_ssize_t at = 0; at < length && !failed; at++) {
        Py_ssize_t place = PyNumber_AsSsize_t(PySequence_Fast_GET_ITEM(places, at), PyExc_OverflowError);
        double partial;
        failed = (place == -1 && PyErr_Occurred()) || partial_of(PySequence_Fast_GET_ITEM(slopes, at), &partial) < 0 ||
                 entries_add(self, place, partial) < 0;
    }
    Py_XDECREF(places);
    Py_XDECREF(slopes);
    return failed ? -1 : 0;
}

static void entries_free(Entries *self) {
    PyMem_Free(self->parents);
    PyMem_Free(self->partials);
}

/* Sum: what a loop has added up so far. */

typedef struct {
    PyObject_HEAD
    Entries entries;
} Sum;

static void sum_dealloc(Sum *self) {
    entries_free(&self->entries);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *sum_start(Sum *self, PyObject *total) {
    if (IS_TRACED(total)) {
        if (entries_add(&self->entries, PLACE(total), 1.0) < 0) return NULL;
        return PyFloat_FromDouble(VALUE(total));
    }
    if ((PyObject *)Py_TYPE(total) == traced_int) {
        Py_ssize_t place = place_of(total);
        if (place < 0 || entries_add(&self->entries, place, 1.0) < 0) return NULL;
        return PyObject_GetAttrString(total, "v");
    }
    return Py_NewRef(total);
}

static PyObject *sum_add(Sum *self, PyObject *const *given, Py_ssize_t length) {
    double partial;
    if (length != 2) return PyErr_SetString(PyExc_TypeError, "add takes a place and a partial derivative"), NULL;
    Py_ssize_t place = PyLong_AsSsize_t(given[0]);
    if ((place == -1 && PyErr_Occurred()) || partial_of(given[1], &partial) < 0) return NULL;
    if (entries_add(&self->entries, place, partial) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *sum_term(Sum *self, PyObject *const *given, Py_ssize_t length) {
    if (length < 1) return PyErr_SetString(PyExc_TypeError, "term takes a value first"), NULL;
    if (entries_pairs(&self->entries, given + 1, length - 1) < 0) return NULL;
    return Py_NewRef(given[0]);
}

static PyObject *sum_product(Sum *self, PyObject *const *given, Py_ssize_t length) {
    if (length != 3) return PyErr_SetString(PyExc_TypeError, "product takes two factors and a site"), NULL;
    PyObject *a = given[0], *b = given[1];
    int by_a = IS_TRACED(a), by_b = IS_TRACED(b);
    if ((by_a || PyFloat_CheckExact(a)) && (by_b || PyFloat_CheckExact(b))) {
        double x = VALUE(a), y = VALUE(b);
        if (by_a && entries_add(&self->entries, PLACE(a), y) < 0) return NULL;
        if (by_b && entries_add(&self->entries, PLACE(b), x) < 0) return NULL;
        return PyFloat_FromDouble(x * y);
    }
    PyObject *arguments[] = {(PyObject *)self, a, b};
    return PyObject_Vectorcall(given[2], arguments, 3, NULL);
}

static PyObject *sum_count(Sum *self, void *closure) { return PyLong_FromSsize_t(self->entries.count); }

static PyMethodDef sum_methods[] = {
    {"start", (PyCFunction)sum_start, METH_O, "The plain value that the sum begins with."},
    {"add", (PyCFunction)(void (*)(void))sum_add, METH_FASTCALL, "Take one more parent."},
    {"term", (PyCFunction)(void (*)(void))sum_term, METH_FASTCALL, "A term's value; its operands become parents."},
    {"product", (PyCFunction)(void (*)(void))sum_product, METH_FASTCALL, "The plain product of two factors."},
    {NULL},
};
static PyGetSetDef sum_properties[] = {{"count", (getter)sum_count, NULL, "how many parents", NULL}, {NULL}};

static PyTypeObject SumType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mlvet.runtime.provenance.native.Sum",
    .tp_doc = "Parents of a sum that a loop is gathering.",
    .tp_basicsize = sizeof(Sum),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)sum_dealloc,
    .tp_methods = sum_methods,
    .tp_getset = sum_properties,
};

/* Rows: those that are still open. */

typedef struct {
    PyObject_HEAD
    Entries entries;
    Py_ssize_t closed, count, room, most, packed;
    int32_t *counts;
    PyObject *full;
    PyObject *marks;
    Py_ssize_t apart, loops;
    Py_ssize_t *last;
} Rows;

static int rows_init(Rows *self, PyObject *given, PyObject *named) {
    static char *names[] = {"full", "most", "apart", NULL};
    PyObject *full;
    Py_ssize_t most, apart;
    if (!PyArg_ParseTupleAndKeywords(given, named, "Onn", names, &full, &most, &apart)) return -1;
    PyObject *marks = PyList_New(0);
    if (marks == NULL) return -1;
    Py_XSETREF(self->marks, marks);
    Py_XSETREF(self->full, Py_NewRef(full));
    self->most = most;
    self->apart = apart;
    self->closed = 1;
    return 0;
}

static int rows_traverse(Rows *self, visitproc visit, void *arg) {
    Py_VISIT(self->full);
    Py_VISIT(self->marks);
    return 0;
}

static int rows_clear(Rows *self) {
    Py_CLEAR(self->full);
    Py_CLEAR(self->marks);
    return 0;
}

static void rows_dealloc(Rows *self) {
    PyObject_GC_UnTrack(self);
    rows_clear(self);
    entries_free(&self->entries);
    PyMem_Free(self->counts);
    PyMem_Free(self->last);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* End a row of so many entries and return its place; -1 after an error. */
static Py_ssize_t rows_ended(Rows *self, Py_ssize_t entries) {
    if (self->count == self->room) {
        Py_ssize_t room = self->room ? 2 * self->room : 1024;
        int32_t *counts = PyMem_Realloc(self->counts, room * sizeof(int32_t));
        if (counts == NULL) return PyErr_NoMemory(), -1;
        self->counts = counts;
        self->room = room;
    }
    self->counts[self->count++] = (int32_t)entries;
    Py_ssize_t place = self->closed + self->count - 1;
    if (self->entries.count > self->most || self->count > self->most) {
        PyObject *done = PyObject_CallNoArgs(self->full);
        if (done == NULL) return -1;
        Py_DECREF(done);
    }
    return place;
}

static PyObject *rows_row(Rows *self, PyObject *const *given, Py_ssize_t length) {
    if (length != 2) return PyErr_SetString(PyExc_TypeError, "row takes parents and partial derivatives"), NULL;
    Py_ssize_t before = self->entries.count;
    if (entries_sequences(&self->entries, given[0], given[1]) < 0) {
        self->entries.count = before;
        return NULL;
    }
    Py_ssize_t place = rows_ended(self, self->entries.count - before);
    return place < 0 ? NULL : PyLong_FromSsize_t(place);
}

static PyObject *result(PyObject *value, Py_ssize_t place) {
    if (place < 0) return NULL;
    if (PyFloat_CheckExact(value)) return made(VALUE(value), place);
    PyObject *number = PyLong_FromSsize_t(place);
    if (number == NULL) return NULL;
    PyObject *arguments[] = {value, number};
    PyObject *found = PyObject_Vectorcall(traced, arguments, 2, NULL);
    Py_DECREF(number);
    return found;
}

static PyObject *rows_written(Rows *self, PyObject *const *given, Py_ssize_t length) {
    if (length < 1) return PyErr_SetString(PyExc_TypeError, "written takes a value first"), NULL;
    Py_ssize_t before = self->entries.count;
    if (entries_pairs(&self->entries, given + 1, length - 1) < 0) {
        self->entries.count = before;
        return NULL;
    }
    return result(given[0], rows_ended(self, self->entries.count - before));
}

static PyObject *rows_summed(Rows *self, PyObject *sum) {
    if (!Py_IS_TYPE(sum, &SumType)) return PyErr_SetString(PyExc_TypeError, "summed takes a sum"), NULL;
    Entries *from = &((Sum *)sum)->entries, *to = &self->entries;
    if (entries_room(to, from->count) < 0) return NULL;
    if (from->count) {
        memcpy(to->parents + to->count, from->parents, from->count * sizeof(int32_t));
        memcpy(to->partials + to->count, from->partials, from->count * sizeof(double));
    }
    to->count += from->count;
    Py_ssize_t place = rows_ended(self, from->count);
    return place < 0 ? NULL : PyLong_FromSsize_t(place);
}

static PyObject *rows_taken(Rows *self, PyObject *nothing) {
    Entries *entries = &self->entries;
    const char *counts = self->count ? (char *)self->counts : "";
    const char *parents = entries->count ? (char *)entries->parents : "";
    const char *partials = entries->count ? (char *)entries->partials : "";
    PyObject *taken = Py_BuildValue(
        "y#y#y#", counts, (Py_ssize_t)(self->count * sizeof(int32_t)), parents,
        (Py_ssize_t)(entries->count * sizeof(int32_t)), partials, (Py_ssize_t)(entries->count * sizeof(double)));
    if (taken == NULL) return NULL;
    self->closed += self->count;
    self->packed += entries->count;
    self->count = entries->count = 0;
    return taken;
}

static PyObject *rows_turn(Rows *self, PyObject *loop) {
    Py_ssize_t number = PyLong_AsSsize_t(loop);
    if (number == -1 && PyErr_Occurred()) return NULL;
    if (number < 0) return PyErr_SetString(PyExc_ValueError, "loops are counted from 0"), NULL;
    if (number >= self->loops) {
        Py_ssize_t loops = number + 16;
        Py_ssize_t *last = PyMem_Realloc(self->last, loops * sizeof(Py_ssize_t));
        if (last == NULL) return PyErr_NoMemory();
        memset(last + self->loops, 0, (loops - self->loops) * sizeof(Py_ssize_t));
        self->last = last;
        self->loops = loops;
    }
    Py_ssize_t place = self->closed + self->count, grown = self->packed + self->entries.count + place;
    if (grown - self->last[number] < self->apart) Py_RETURN_NONE;
    self->last[number] = grown;
    PyObject *mark = Py_BuildValue("nn", number, place);
    if (mark == NULL) return NULL;
    int failed = PyList_Append(self->marks, mark);
    Py_DECREF(mark);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef rows_methods[] = {
    {"row", (PyCFunction)(void (*)(void))rows_row, METH_FASTCALL, "Write one row and return its place."},
    {"written", (PyCFunction)(void (*)(void))rows_written, METH_FASTCALL, "A value with a row of its operands."},
    {"summed", (PyCFunction)rows_summed, METH_O, "Write the row of a sum and return its place."},
    {"turn", (PyCFunction)rows_turn, METH_O, "An iteration of a loop begins."},
    {"taken", (PyCFunction)rows_taken, METH_NOARGS, "Counts, parents and partial derivatives, which are closed."},
    {NULL},
};
static PyMemberDef rows_members[] = {
    {"closed", T_PYSSIZET, offsetof(Rows, closed), 0, "the first place whose row is open"},
    {"count", T_PYSSIZET, offsetof(Rows, count), READONLY, "how many rows are open"},
    {"marks", T_OBJECT_EX, offsetof(Rows, marks), READONLY, "where iterations of loops began"},
    {NULL},
};

static PyTypeObject RowsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mlvet.runtime.provenance.native.Rows",
    .tp_doc = "The open rows of a tape.",
    .tp_basicsize = sizeof(Rows),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)rows_init,
    .tp_traverse = (traverseproc)rows_traverse,
    .tp_clear = (inquiry)rows_clear,
    .tp_dealloc = (destructor)rows_dealloc,
    .tp_methods = rows_methods,
    .tp_members = rows_members,
};

/* The module. */

static PyObject *bind(PyObject *module, PyObject *given) {
    PyObject *whole, *maker;
    if (!PyArg_ParseTuple(given, "OO", &whole, &maker)) return NULL;
    Py_XSETREF(traced_int, Py_NewRef(whole));
    Py_XSETREF(traced, Py_NewRef(maker));
    Py_RETURN_NONE;
}

static PyObject *number(PyObject *module, PyObject *const *given, Py_ssize_t length) {
    if (length != 2) return PyErr_SetString(PyExc_TypeError, "number takes a value and a place"), NULL;
    double value = PyFloat_AsDouble(given[0]);
    Py_ssize_t place = PyLong_AsSsize_t(given[1]);
    return PyErr_Occurred() ? NULL : made(value, place);
}

/* Entries of a turn, as tape_parts.py says: parents below 0 are counted from the origin, partial derivatives are those
   of groups if there is an index. */

typedef struct {
    const int32_t *parents, *index;
    const double *partials;
    int32_t origin;
    double *last; /* where the result has place 0 */
} Turn;

#define PARENT(turn, at) ((turn)->parents[at] + ((turn)->origin & ((turn)->parents[at] >> 31)))

static void turn_row(const Turn *turn, Py_ssize_t begin, Py_ssize_t at, double slope) {
    const Turn own = *turn;
    if (own.index == NULL)
        while (at-- > begin) own.last[-(Py_ssize_t)PARENT(&own, at)] += own.partials[at] * slope;
    else
        while (at-- > begin) own.last[-(Py_ssize_t)PARENT(&own, at)] += own.partials[own.index[at]] * slope;
}

static PyObject *swept(PyObject *module, PyObject *given) {
    Py_ssize_t first;
    Py_buffer ends, parents, index, partials, at, odd_parents, odd_partials, stops, to;
    if (!PyArg_ParseTuple(given, "ny*y*z*y*y*y*y*z*w*", &first, &ends, &parents, &index, &partials, &at, &odd_parents,
                          &odd_partials, &stops, &to))
        return NULL;
    const int32_t *end = ends.buf, *odd = at.buf, *others = odd_parents.buf;
    const double *slopes = odd_partials.buf;
    const char *stop = stops.buf;
    Py_ssize_t rows = ends.len / (Py_ssize_t)sizeof(int32_t), left = at.len / (Py_ssize_t)sizeof(int32_t);
    double *last = (double *)to.buf + to.len / (Py_ssize_t)sizeof(double) - 1;
    Turn turn = {parents.buf, index.buf, partials.buf, (int32_t)(first + rows), last};
    for (Py_ssize_t row = rows; row-- > 0;) {
        double slope = last[-(first + row)];
        if (slope == 0.0 || (stop != NULL && stop[first + row])) continue;
        Py_ssize_t begin = row ? end[row - 1] : 0, until = end[row];
        while (left && odd[left - 1] >= until) left--;
        while (left && odd[left - 1] >= begin) {
            left--;
            turn_row(&turn, odd[left] + 1, until, slope);
            last[-(Py_ssize_t)others[left]] += slopes[left] * slope;
            until = odd[left];
        }
        turn_row(&turn, begin, until, slope);
    }
    Py_buffer *all[] = {&ends, &parents, &index, &partials, &at, &odd_parents, &odd_partials, &stops, &to};
    for (int each = 0; each < 9; each++) PyBuffer_Release(all[each]);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"swept", swept, METH_VARARGS, "Hand derivatives by rows on to their parents, last row first."},
    {"bind", bind, METH_VARARGS, "Say which ints have places, and what makes a number that is no float."},
    {"number", (PyCFunction)(void (*)(void))number, METH_FASTCALL, "A float with its place."},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "native", "What a replay does for each operation, in C.", -1, functions,
};

PyMODINIT_FUNC PyInit_native(void) {
    name_i = PyUnicode_InternFromString("i");
    traced_float = (PyTypeObject *)PyType_FromSpecWithBases(&traced_spec, (PyObject *)&PyFloat_Type);
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || name_i == NULL || traced_float == NULL || PyModule_AddType(module, traced_float) < 0 ||
        PyModule_AddType(module, &SumType) < 0 || PyModule_AddType(module, &RowsType) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
