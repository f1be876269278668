/* libdb2.so.1 stand-in: Db2-CLI ABI (32-bit handles, 32-bit SQLLEN) on top of
 * unixODBC (pointer handles, 64-bit SQLLEN).  TEST ONLY: contains no IBM code,
 * only the X/Open CLI call signatures that ibm_db's addon imports.
 *
 * env:  DB2SHIM_ODBC    libodbc soname (default libodbc.so.2)
 *       DB2SHIM_DRIVER  ODBC driver path/name (default .../odbc/psqlodbca.so)
 *       DB2SHIM_EXTRA   extra connection keywords for that driver
 *       DB2SHIM_FOLD    1 (default) upper-case lower-case column labels, 0 off
 *       DB2SHIM_MAP     1 (default) map PostgreSQL SQLSTATE -> Db2 SQLSTATE/SQLCODE
 *       DB2SHIM_ISO     1 (default) take a trailing WITH NC|UR|CS|RS|RR away
 *       DB2SHIM_TRACE   1 = trace to stderr
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef short I16; typedef unsigned short U16; typedef int I32; typedef unsigned int U32;
typedef long L64; typedef unsigned long UL64; typedef unsigned char UC; typedef void *P;

#define EXPORT __attribute__((visibility("default")))
enum { OK_ = 0, INFO_ = 1, NODATA_ = 100, NEED_ = 99, ERR_ = -1, BADH_ = -2 };
enum { H_ENV = 1, H_DBC = 2, H_STMT = 3 };

struct prm { int used; I16 io, ct, st, dd; UL64 size; P buf; L64 blen; I32 *uind; L64 *rind; U32 cap; };
struct col { int used; I16 ct; P buf; L64 blen; I32 *uind; L64 *rind; U32 cap; };
struct hrec {
  int type, id, parent; P real;
  struct prm *p; int np; struct col *c; int nc;
  char dbms[32]; int readerswait; char *first;
  U32 paramset, rowset; U32 *u_fetched, *u_processed; UL64 r_fetched, r_processed;
  char st[6]; I32 native; char msg[300];
};

static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static struct hrec **tab; static int ntab, nextid = 1;
static int opt_fold = 1, opt_map = 1, opt_iso = 1, opt_trace = 0;

#define FN(ret, name, args) static ret (*r_##name) args;
FN(I16, SQLAllocHandle, (I16, P, P *)) FN(I16, SQLBindCol, (P, U16, I16, P, L64, L64 *))
FN(I16, SQLBindParameter, (P, U16, I16, I16, I16, UL64, I16, P, L64, L64 *))
FN(I16, SQLColAttribute, (P, U16, U16, P, I16, I16 *, L64 *))
FN(I16, SQLColumns, (P, UC *, I16, UC *, I16, UC *, I16, UC *, I16))
FN(I16, SQLDisconnect, (P)) FN(I16, SQLDriverConnect, (P, P, UC *, I16, UC *, I16, I16 *, U16))
FN(I16, SQLEndTran, (I16, P, I16)) FN(I16, SQLExecDirect, (P, UC *, I32)) FN(I16, SQLExecute, (P))
FN(I16, SQLFetch, (P)) FN(I16, SQLFreeHandle, (I16, P)) FN(I16, SQLFreeStmt, (P, U16))
FN(I16, SQLGetData, (P, U16, I16, P, L64, L64 *))
FN(I16, SQLGetDiagRec, (I16, P, I16, UC *, I32 *, UC *, I16, I16 *))
FN(I16, SQLGetFunctions, (P, U16, U16 *)) FN(I16, SQLGetInfo, (P, U16, P, I16, I16 *))
FN(I16, SQLGetStmtAttr, (P, I32, P, I32, I32 *)) FN(I16, SQLGetTypeInfo, (P, I16))
FN(I16, SQLMoreResults, (P)) FN(I16, SQLNumResultCols, (P, I16 *)) FN(I16, SQLParamData, (P, P *))
FN(I16, SQLPrepare, (P, UC *, I32)) FN(I16, SQLPutData, (P, P, L64)) FN(I16, SQLRowCount, (P, L64 *))
FN(I16, SQLSetConnectAttr, (P, I32, P, I32)) FN(I16, SQLSetEnvAttr, (P, I32, P, I32))
FN(I16, SQLGetConnectAttr, (P, I32, P, I32, I32 *))
FN(I16, SQLSetStmtAttr, (P, I32, P, I32)) FN(I16, SQLTables, (P, UC *, I16, UC *, I16, UC *, I16, UC *, I16))

static void tr(const char *f, ...) {
  if (!opt_trace) return;
  va_list a; va_start(a, f); fputs("[db2shim] ", stderr); vfprintf(stderr, f, a); fputc('\n', stderr); va_end(a);
}
__attribute__((constructor)) static void init(void) {
  const char *e, *so = getenv("DB2SHIM_ODBC");
  void *h = dlopen(so ? so : "libodbc.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!h) { fprintf(stderr, "db2shim: %s\n", dlerror()); abort(); }
#define L(n) if (!(*(void **)&r_##n = dlsym(h, #n))) { fprintf(stderr, "db2shim: no " #n "\n"); abort(); }
  L(SQLAllocHandle) L(SQLBindCol) L(SQLBindParameter) L(SQLColAttribute) L(SQLColumns) L(SQLDisconnect)
  L(SQLDriverConnect) L(SQLEndTran) L(SQLExecDirect) L(SQLExecute) L(SQLFetch) L(SQLFreeHandle) L(SQLFreeStmt)
  L(SQLGetData) L(SQLGetDiagRec) L(SQLGetFunctions) L(SQLGetInfo) L(SQLGetStmtAttr) L(SQLGetTypeInfo)
  L(SQLMoreResults) L(SQLNumResultCols) L(SQLParamData) L(SQLPrepare) L(SQLPutData) L(SQLRowCount)
  L(SQLSetConnectAttr) L(SQLSetEnvAttr) L(SQLSetStmtAttr) L(SQLTables) L(SQLGetConnectAttr)
  if ((e = getenv("DB2SHIM_FOLD"))) opt_fold = atoi(e);
  if ((e = getenv("DB2SHIM_MAP"))) opt_map = atoi(e);
  if ((e = getenv("DB2SHIM_ISO"))) opt_iso = atoi(e);
  if ((e = getenv("DB2SHIM_TRACE"))) opt_trace = atoi(e);
}

/* ---- handle table -------------------------------------------------------*/
static struct hrec *get(I32 id, int type) {
  struct hrec *r = NULL;
  pthread_mutex_lock(&mx);
  if (id > 0 && id < ntab) r = tab[id];
  pthread_mutex_unlock(&mx);
  return r && (!type || r->type == type) ? r : NULL;
}
static I32 put(int type, P real, int parent) {
  struct hrec *r = calloc(1, sizeof *r);
  r->type = type; r->real = real; r->parent = parent; r->paramset = r->rowset = 1;
  pthread_mutex_lock(&mx);
  int id = nextid++;
  if (id >= ntab) { int n = ntab ? ntab * 2 : 256; tab = realloc(tab, n * sizeof *tab);
    memset(tab + ntab, 0, (n - ntab) * sizeof *tab); ntab = n; }
  r->id = id; tab[id] = r;
  pthread_mutex_unlock(&mx);
  return id;
}
static void freeprms(struct hrec *r) { for (int i = 0; i < r->np; i++) free(r->p[i].rind); free(r->p); r->p = 0; r->np = 0; }
static void freecols(struct hrec *r) { for (int i = 0; i < r->nc; i++) free(r->c[i].rind); free(r->c); r->c = 0; r->nc = 0; }
static void drop(struct hrec *r) {
  pthread_mutex_lock(&mx); tab[r->id] = NULL; pthread_mutex_unlock(&mx);
  freeprms(r); freecols(r); free(r->first); free(r);
}
static void dropchildren(int parent) {           /* DM frees stmts on disconnect */
  for (int i = 1; i < ntab; i++) {
    pthread_mutex_lock(&mx); struct hrec *r = tab[i]; pthread_mutex_unlock(&mx);
    if (r && r->parent == parent && r->type == H_STMT) drop(r);
  }
}
static I16 fail(struct hrec *r, const char *st, I32 native, const char *msg) {
  snprintf(r->st, sizeof r->st, "%s", st); r->native = native; snprintf(r->msg, sizeof r->msg, "%s", msg);
  return ERR_;
}
#define GET(v, id, t) struct hrec *v = get(id, t); if (!v) return BADH_; v->st[0] = 0

EXPORT I16 SQLAllocHandle(I16 type, I32 in, I32 *out) {
  P real = NULL, preal = NULL;
  if (type != H_ENV) { GET(p, in, 0); preal = p->real; }
  I16 rc = r_SQLAllocHandle(type, preal, &real);
  *out = (rc == OK_ || rc == INFO_) ? put(type, real, in) : 0;
  tr("SQLAllocHandle type=%d in=%d -> %d rc=%d", type, in, *out, rc);
  return rc;
}
EXPORT I16 SQLFreeHandle(I16 type, I32 id) {
  GET(r, id, type);
  I16 rc = r_SQLFreeHandle(type, r->real);
  tr("SQLFreeHandle type=%d %d rc=%d", type, id, rc);
  if (rc == OK_ || rc == INFO_) drop(r);
  return rc;
}
EXPORT I16 SQLFreeStmt(I32 h, U16 o) {
  GET(r, h, H_STMT);
  I16 rc = r_SQLFreeStmt(r->real, o);
  if (rc >= 0) { if (o == 1) drop(r); else if (o == 2) freecols(r); else if (o == 3) freeprms(r); }
  return rc;
}

/* ---- connect ------------------------------------------------------------*/
static void addkv(char *o, size_t n, const char *k, const char *v) { size_t l = strlen(o); snprintf(o + l, n - l, "%s=%s;", k, v); }
/* IBM's client takes the code page of an application from DB2CODEPAGE, else from its locale; ISO 8859-1 is C's. */
static const char *codepage(void) {
  static const char *locale[] = { "LC_ALL", "LC_CTYPE", "LANG" };
  const char *e = getenv("DB2CODEPAGE");
  if (e && *e) return atoi(e) == 1208 ? "UTF8" : "LATIN1";
  for (int i = 0; i < 3; i++) if ((e = getenv(locale[i])) && *e) return strcasestr(e, "UTF-8") || strcasestr(e, "UTF8") ? "UTF8" : "LATIN1";
  return "LATIN1";
}
EXPORT I16 SQLDriverConnect(I32 h, P wnd, UC *in, I16 inlen, UC *o, I16 olen, I16 *opl, U16 compl_) {
  GET(r, h, H_DBC);
  char buf[4096] = "", schema[256] = "", program[64] = "ibm_db", lockms[16] = "3000", page[8], set[1024], *src; const char *drv = getenv("DB2SHIM_DRIVER"), *ex = getenv("DB2SHIM_EXTRA");
  (void)wnd; (void)o; (void)olen; (void)compl_; snprintf(page, sizeof page, "%s", codepage());
  src = inlen < 0 ? strdup((char *)in) : strndup((char *)in, inlen);
  addkv(buf, sizeof buf, "Driver", drv ? drv : "/usr/lib/x86_64-linux-gnu/odbc/psqlodbca.so");
  for (char *s = src; *s;) {
    char *k = s, *v, *e; while (*s && *s != '=' && *s != ';') s++;
    if (*s != '=') { if (*s) s++; continue; }
    *s++ = 0; while (isspace((UC)*k)) k++;
    if (*s == '{') { v = ++s; e = strchr(s, '}'); if (!e) e = s + strlen(s); s = *e ? e + 1 : e; *e = 0; while (*s && *s != ';') s++; }
    else { v = s; while (*s && *s != ';') s++; }
    if (*s) *s++ = 0;
    if (!strcasecmp(k, "DATABASE")) addkv(buf, sizeof buf, "Database", v);
    else if (!strcasecmp(k, "HOSTNAME")) addkv(buf, sizeof buf, "Server", v);
    else if (!strcasecmp(k, "PORT")) addkv(buf, sizeof buf, "Port", v);
    else if (!strcasecmp(k, "UID")) addkv(buf, sizeof buf, "UID", v);
    else if (!strcasecmp(k, "PWD")) addkv(buf, sizeof buf, "PWD", v);
    else if (!strcasecmp(k, "CURRENTSCHEMA")) snprintf(schema, sizeof schema, "%s", v);
    else if (!strcasecmp(k, "CLIENTAPPLNAME")) snprintf(program, sizeof program, "%s", v);
    else if (!strcasecmp(k, "STANDINDBMS")) snprintf(r->dbms, sizeof r->dbms, "%s", v);
    else if (!strcasecmp(k, "STANDINCODEPAGE")) snprintf(page, sizeof page, "%s", atoi(v) == 1208 ? "UTF8" : "LATIN1");
    else if (!strcasecmp(k, "STANDINLOCKMS")) snprintf(lockms, sizeof lockms, "%d", atoi(v));
    else if (!strcasecmp(k, "STANDINREADERSWAIT")) r->readerswait = atoi(v);
    else if (!strcasecmp(k, "ATTACH")) { free(src); return fail(r, "HYC00", -99999, "[db2shim] CLI0150E ATTACH is not supported by the stand-in. SQLSTATE=HYC00"); }
  }
  free(src);
  for (char *p = schema; *p; p++) *p = tolower((UC)*p);
  snprintf(set, sizeof set, "{set client_encoding to '%s'; set client_min_messages to error; set lock_timeout to %s; set application_name to '%s'%s%s%s}", page, lockms, program, schema[0] ? "; set search_path to \"" : "", schema, schema[0] ? "\", public" : "");
  addkv(buf, sizeof buf, "ConnSettings", set);
  addkv(buf, sizeof buf, "Protocol", "7.4-2");          /* statement-level rollback, as Db2 */
  addkv(buf, sizeof buf, "BoolsAsChar", "0"); addkv(buf, sizeof buf, "MaxVarcharSize", "8190");
  addkv(buf, sizeof buf, "LFConversion", "0"); addkv(buf, sizeof buf, "ByteaAsLongVarBinary", "1");
  if (ex) { strncat(buf, ex, sizeof buf - strlen(buf) - 2); }
  I16 cl; UC ob[1024];
  I16 rc = r_SQLDriverConnect(r->real, NULL, (UC *)buf, -3, ob, sizeof ob, &cl, 0);
  if (opl) *opl = 0;
  tr("SQLDriverConnect rc=%d %.60s...", rc, buf);
  return rc == INFO_ ? OK_ : rc;
}
EXPORT I16 SQLDisconnect(I32 h) {
  GET(r, h, H_DBC);
  I16 rc = r_SQLDisconnect(r->real);
  tr("SQLDisconnect %d rc=%d", h, rc);
  if (rc >= 0) dropchildren(h);
  return rc;
}
EXPORT I16 SQLSetEnvAttr(I32 h, I32 a, P v, I32 l) { GET(r, h, H_ENV); return r_SQLSetEnvAttr(r->real, a, v, l); }
EXPORT I16 SQLSetConnectAttr(I32 h, I32 a, P v, I32 l) {
  GET(r, h, H_DBC);
  I16 rc;
  if (a >= 1200 && a != 30002) rc = OK_;                                    /* Db2-only attributes: accepted, no effect */
  else if (a == 108 && (intptr_t)v == 32) rc = OK_;                         /* SQL_TXN_NOCOMMIT (*NONE, Db2 for i) */
  else rc = r_SQLSetConnectAttr(r->real, a, v, l);
  tr("SQLSetConnectAttr %d attr=%d val=%ld rc=%d", h, a, (long)(intptr_t)v, rc);
  return rc;
}
EXPORT I16 SQLGetInfo(I32 h, U16 t, P v, I16 n, I16 *o) {
  GET(r, h, H_DBC);
  if (t == 17 && r->dbms[0]) { snprintf(v, n, "%s", r->dbms); if (o) *o = (I16)strlen(r->dbms); return OK_; }
  return r_SQLGetInfo(r->real, t, v, n, o);
}
EXPORT I16 SQLGetFunctions(I32 h, U16 f, U16 *o) { GET(r, h, H_DBC); return r_SQLGetFunctions(r->real, f, o); }
EXPORT I16 SQLEndTran(I16 t, I32 h, I16 c) {
  GET(r, h, t);
  if (t == H_DBC && c == 0) {   /* psqlodbc answers SUCCESS to a commit on a dead connection: that would hide data loss */
    U32 dead = 0; I16 q = r_SQLGetConnectAttr(r->real, 1209 /* SQL_ATTR_CONNECTION_DEAD */, &dead, 0, NULL);
    if (q >= 0 && dead == 1) return fail(r, "08001", -30081, "[db2shim][CLI Driver] SQL30081N  connection was lost before COMMIT.  SQLSTATE=08001");
  }
  I16 rc = r_SQLEndTran(t, r->real, c); tr("SQLEndTran %d %d rc=%d", h, c, rc); return rc;
}
EXPORT I16 SQLCreateDb(I32 h, UC *a, I32 b, UC *c, I32 d, UC *e, I32 f) { (void)a;(void)b;(void)c;(void)d;(void)e;(void)f; GET(r, h, H_DBC); return fail(r, "HYC00", -99999, "[db2shim] SQLCreateDb is not supported by the stand-in"); }
EXPORT I16 SQLDropDb(I32 h, UC *a, I32 b) { (void)a;(void)b; GET(r, h, H_DBC); return fail(r, "HYC00", -99999, "[db2shim] SQLDropDb is not supported by the stand-in"); }

/* ---- statements ---------------------------------------------------------*/
/* Words that Db2 reads and PostgreSQL does not: a trailing WITH NC|UR|CS|RS|RR goes (NC leaves a comment that a
 * trigger can see), VARCHAR(n) FOR BIT DATA is bytea, Db2 for i's variable QSYS2.JOB_NAME is a function, CURRENT LOCK
 * TIMEOUT of Db2 LUW is lock_timeout, a trailing USE CURRENTLY COMMITTED goes (PostgreSQL reads like that), SKIP LOCKED
 * DATA takes share locks where it can, a cast to a CCSID is a type of that name. The caller frees the answer. */
#define COMMITTED " USE CURRENTLY COMMITTED"
#define UNLOCKED " SKIP LOCKED DATA"
static int endswith(const char *s, int n, const char *end) { int k = (int)strlen(end); return n > k && !strncasecmp(s + n - k, end, k); }
static UC *translate(UC *in, I32 n, I32 *len) {
  if (n < 0) n = (I32)strlen((char *)in);
  char *s = strndup((char *)in, n), *out = malloc(2 * (size_t)n + 64), *o = out, *p = s;
  int e = n; while (e && (isspace((UC)s[e - 1]) || s[e - 1] == ';')) e--;
  int committed = endswith(s, e, COMMITTED), unlocked = endswith(s, e, UNLOCKED);
  if (committed || unlocked) s[e -= committed ? sizeof COMMITTED - 1 : sizeof UNLOCKED - 1] = 0;
  if (opt_iso && e > 8 && !strncasecmp(s + e - 8, " WITH ", 6) && strchr("NCUR", toupper((UC)s[e - 2])) && strchr("CRS", toupper((UC)s[e - 1]))) {
    if (!strncasecmp(s + e - 2, "NC", 2)) o = stpcpy(o, "/* with nc */ ");
    s[e - 8] = 0;
  }
  while (*p) {
    int width = 0, digits = 0;
    if (!strncasecmp(p, "varchar(", 8)) {
      for (width = 8; isdigit((UC)p[width]); width++) digits++;
      if (digits && !strncasecmp(p + width, ") for bit data", 14)) { o = stpcpy(o, "bytea"); p += width + 14; continue; }
    }
    if (!strncasecmp(p, "set current lock timeout ", 25)) { o += sprintf(o, "set lock_timeout to '%ds'", atoi(p + 25)); p += strlen(p); continue; }
    int page = 0, past = 0;
    if (!strncasecmp(p, " ccsid ", 7) && sscanf(p + 7, "%d)%n", &page, &past) == 1 && past) { o += sprintf(o, ")::ccsid%d", page); p += 7 + past; continue; }
    if (!strncasecmp(p, "QSYS2.JOB_NAME", 14)) { o = stpcpy(o, "qsys2.job_name()"); p += 14; continue; }
    *o++ = *p++;
  }
  if (unlocked) o = stpcpy(o, " for share skip locked");
  *o = 0; free(s); *len = (I32)(o - out);
  return (UC *)out;
}
/* Db2 for i reads no row that another has written and not committed: a select waits for it, unless a clause says what to
 * do. Coarser here: the select waits for all who write to its tables, by a lock that is given back before it runs. */
static void beforehand(struct hrec *r, const char *in, I32 n) {
  free(r->first); r->first = NULL;
  struct hrec *c = get(r->parent, H_DBC);
  if (n < 0) n = (I32)strlen(in);
  while (n && isspace((UC)in[n - 1])) n--;
  if (!c || !c->readerswait || n < 6 || strncasecmp(in, "select", 6) || endswith(in, n, COMMITTED) || endswith(in, n, UNLOCKED)) return;
  char *text = malloc(n + 256), *o = stpcpy(text, "do $$ begin lock table "); int tables = 0;
  for (const char *p = in; p + 5 < in + n; p++) {
    if (strncasecmp(p, "from ", 5) || !strncasecmp(p + 5, "sys", 3) || !strncasecmp(p + 5, "qsys", 4)) continue;
    int w = 5; while (p + w < in + n && (isalnum((UC)p[w]) || p[w] == '_' || p[w] == '.')) w++;
    if (w > 5) o += sprintf(o, "%s%.*s", tables++ ? ", " : "", w - 5, p + 5);
  }
  strcpy(o, " in share mode; raise sqlstate 'UNDO0'; exception when sqlstate 'UNDO0' then null; end $$");
  if (tables) r->first = text; else free(text);
}
static I16 waitfirst(struct hrec *r) {
  struct hrec *c = get(r->parent, H_DBC); P s;
  if (!r->first || !c) return OK_;
  if (r_SQLAllocHandle(H_STMT, c->real, &s) < 0) return ERR_;
  I16 rc = r_SQLExecDirect(s, (UC *)r->first, -3); r_SQLFreeHandle(H_STMT, s);
  tr("waited rc=%d %s", rc, r->first);
  return rc < 0 ? fail(r, "57033", -913, "[db2shim][CLI Driver] SQL0913N  a row that this select reads is locked.  SQLSTATE=57033") : OK_;
}
static void pre(struct hrec *r) {
  for (int i = 0; i < r->np; i++) {
    struct prm *p = r->p + i; if (!p->used || !p->uind) continue;
    U32 n = r->paramset ? r->paramset : 1;
    if (n > p->cap) { p->rind = realloc(p->rind, n * sizeof(L64)); p->cap = n;
      r_SQLBindParameter(r->real, i + 1, p->io, p->ct, p->st, p->size, p->dd, p->buf, p->blen, p->rind); }
    for (U32 k = 0; k < n; k++) p->rind[k] = p->uind[k];          /* sign-extends SQL_NULL_DATA etc. */
  }
}
static void post(struct hrec *r) {
  for (int i = 0; i < r->np; i++) { struct prm *p = r->p + i;
    if (p->used && p->uind && p->io != 1) for (U32 k = 0; k < r->paramset && k < p->cap; k++) p->uind[k] = (I32)p->rind[k]; }
  if (r->u_processed) *r->u_processed = (U32)r->r_processed;
}
EXPORT I16 SQLPrepare(I32 h, UC *s, I32 n) {
  GET(r, h, H_STMT); beforehand(r, (char *)s, n); UC *t = translate(s, n, &n); I16 rc = r_SQLPrepare(r->real, t, n);
  tr("SQLPrepare %d rc=%d %s", h, rc, t); free(t); return rc;
}
EXPORT I16 SQLExecDirect(I32 h, UC *s, I32 n) {
  GET(r, h, H_STMT); beforehand(r, (char *)s, n); if (waitfirst(r) != OK_) return ERR_;
  UC *t = translate(s, n, &n); pre(r); I16 rc = r_SQLExecDirect(r->real, t, n); post(r);
  tr("SQLExecDirect %d rc=%d %s", h, rc, t); free(t); return rc;
}
EXPORT I16 SQLExecute(I32 h) { GET(r, h, H_STMT); if (waitfirst(r) != OK_) return ERR_; pre(r); I16 rc = r_SQLExecute(r->real); post(r); tr("SQLExecute %d rc=%d", h, rc); return rc; }
EXPORT I16 SQLBindParameter(I32 h, U16 n, I16 io, I16 ct, I16 st, U32 size, I16 dd, P buf, I32 blen, I32 *ind) {
  GET(r, h, H_STMT);
  if (n > r->np) { r->p = realloc(r->p, n * sizeof *r->p); memset(r->p + r->np, 0, (n - r->np) * sizeof *r->p); r->np = n; }
  struct prm *p = r->p + n - 1; U32 cap = r->paramset ? r->paramset : 1;
  if (ind && p->cap < cap) { p->rind = realloc(p->rind, cap * sizeof(L64)); p->cap = cap; }
  if (st == -98) st = -4; else if (st == -99) st = -1; else if (st == -360) st = 8; else if (st == -370) st = -1; /* BLOB CLOB DECFLOAT XML */
  if (st == -4 && ct == 1) ct = -2;
  p->used = 1; p->io = io; p->ct = ct; p->st = st; p->size = size; p->dd = dd; p->buf = buf; p->blen = blen; p->uind = ind;
  tr("SQLBindParameter %d #%d io=%d c=%d sql=%d size=%u ind=%d", h, n, io, ct, st, size, ind ? *ind : 0);
  return r_SQLBindParameter(r->real, n, io, ct, st, size, dd, buf, blen, ind ? p->rind : NULL);
}
EXPORT I16 SQLParamData(I32 h, P *t) { GET(r, h, H_STMT); return r_SQLParamData(r->real, t); }
EXPORT I16 SQLPutData(I32 h, P d, I32 n) { GET(r, h, H_STMT); return r_SQLPutData(r->real, d, n); }
EXPORT I16 SQLRowCount(I32 h, I32 *o) { GET(r, h, H_STMT); L64 v = -1; I16 rc = r_SQLRowCount(r->real, &v); *o = (I32)v; return rc; }
EXPORT I16 SQLNumResultCols(I32 h, I16 *o) { GET(r, h, H_STMT); return r_SQLNumResultCols(r->real, o); }
EXPORT I16 SQLMoreResults(I32 h) { GET(r, h, H_STMT); return r_SQLMoreResults(r->real); }
EXPORT I16 SQLColAttribute(I32 h, U16 c, U16 f, P s, I16 n, I16 *pn, P num) {
  GET(r, h, H_STMT);
  L64 v = 0; I16 rc = r_SQLColAttribute(r->real, c, f, s, n, pn, &v);
  if (s && opt_fold && (f == 18 || f == 1011 || f == 1)) {
    UC *q = s; int up = 0; for (; *q; q++) if (isupper(*q)) up = 1;
    if (!up) for (q = s; *q; q++) *q = toupper(*q);
  }
  if (num) { if (f == 2 || f == 1002) *(I32 *)num = (I32)v; else *(I16 *)num = (I16)(v > 32767 ? 32767 : v); } /* ibm_db passes SQLSMALLINT* here */
  return rc;
}
EXPORT I16 SQLBindCol(I32 h, U16 n, I16 ct, P buf, I32 blen, I32 *ind) {
  GET(r, h, H_STMT);
  if (!n) return r_SQLBindCol(r->real, n, ct, buf, blen, NULL);
  if (n > r->nc) { r->c = realloc(r->c, n * sizeof *r->c); memset(r->c + r->nc, 0, (n - r->nc) * sizeof *r->c); r->nc = n; }
  struct col *c = r->c + n - 1; U32 cap = r->rowset ? r->rowset : 1;
  if (c->cap < cap) { c->rind = realloc(c->rind, cap * sizeof(L64)); c->cap = cap; }
  c->used = buf != NULL; c->ct = ct; c->buf = buf; c->blen = blen; c->uind = ind;
  return r_SQLBindCol(r->real, n, ct, buf, blen, ind ? c->rind : NULL);
}
EXPORT I16 SQLFetch(I32 h) {
  GET(r, h, H_STMT);
  for (int i = 0; i < r->nc; i++) { struct col *c = r->c + i; if (c->used && c->uind && c->cap < r->rowset) {
    c->rind = realloc(c->rind, r->rowset * sizeof(L64)); c->cap = r->rowset;
    r_SQLBindCol(r->real, i + 1, c->ct, c->buf, c->blen, c->rind); } }
  I16 rc = r_SQLFetch(r->real);
  if (r->u_fetched) *r->u_fetched = (U32)r->r_fetched;
  if (rc == OK_ || rc == INFO_) {
    U32 n = r->rowset; if (r->u_fetched && r->r_fetched < n) n = (U32)r->r_fetched;
    for (int i = 0; i < r->nc; i++) { struct col *c = r->c + i; if (c->used && c->uind) for (U32 k = 0; k < n; k++) c->uind[k] = (I32)c->rind[k]; }
  }
  return rc;
}
EXPORT I16 SQLGetData(I32 h, U16 n, I16 ct, P buf, I32 blen, I32 *ind) {
  GET(r, h, H_STMT); L64 v = 0;
  I16 rc = r_SQLGetData(r->real, n, ct, buf, blen, ind ? &v : NULL);
  if (ind) *ind = (I32)v;
  return rc;
}
EXPORT I16 SQLGetStmtAttr(I32 h, I32 a, P v, I32 l, I32 *o) {
  GET(r, h, H_STMT);
  if (a == 27) { *(U32 *)v = r->rowset; return OK_; }
  if (a == 22) { *(U32 *)v = r->paramset; return OK_; }
  UL64 t = 0; if (l > 0) return r_SQLGetStmtAttr(r->real, a, v, l, o);
  I16 rc = r_SQLGetStmtAttr(r->real, a, &t, l, o); *(U32 *)v = (U32)t; return rc;
}
EXPORT I16 SQLSetStmtAttr(I32 h, I32 a, P v, I32 l) {
  GET(r, h, H_STMT); I16 rc;
  if (a == 26) { r->u_fetched = v; v = v ? &r->r_fetched : NULL; }
  else if (a == 21) { r->u_processed = v; v = v ? &r->r_processed : NULL; }
  else if (a >= 1200) return OK_;
  rc = r_SQLSetStmtAttr(r->real, a, v, l);
  if (rc >= 0 && a == 27) r->rowset = (U32)(uintptr_t)v;
  if (rc >= 0 && a == 22) r->paramset = (U32)(uintptr_t)v;
  tr("SQLSetStmtAttr %d attr=%d val=%ld rc=%d", h, a, (long)(intptr_t)v, rc);
  return rc;
}
EXPORT I16 SQLTables(I32 h, UC *a, I16 b, UC *c, I16 d, UC *e, I16 f, UC *g, I16 i) { GET(r, h, H_STMT); return r_SQLTables(r->real, a, b, c, d, e, f, g, i); }
EXPORT I16 SQLColumns(I32 h, UC *a, I16 b, UC *c, I16 d, UC *e, I16 f, UC *g, I16 i) { GET(r, h, H_STMT); return r_SQLColumns(r->real, a, b, c, d, e, f, g, i); }
EXPORT I16 SQLGetTypeInfo(I32 h, I16 t) { GET(r, h, H_STMT); return r_SQLGetTypeInfo(r->real, t); }
EXPORT I16 SQLBindFileToCol(I32 h, ...) { GET(r, h, H_STMT); return fail(r, "HYC00", -99999, "[db2shim] SQLBindFileToCol is not supported by the stand-in"); }
EXPORT I16 SQLBindFileToParam(I32 h, ...) { GET(r, h, H_STMT); return fail(r, "HYC00", -99999, "[db2shim] SQLBindFileToParam is not supported by the stand-in"); }

/* ---- diagnostics --------------------------------------------------------*/
static const struct { const char *pg, *st; I32 code; } map[] = {
  { "23505", "23505", -803 }, { "23502", "23502", -407 }, { "23503", "23503", -530 }, { "23514", "23513", -545 },
  { "42P01", "42704", -204 }, { "3F000", "42704", -204 }, { "42703", "42703", -206 }, { "42601", "42601", -104 },
  { "42883", "42884", -440 }, { "42501", "42501", -551 }, { "42P07", "42710", -601 }, { "42804", "42821", -408 },
  { "22001", "22001", -302 }, { "22003", "22003", -413 }, { "22007", "22007", -180 }, { "22008", "22007", -181 },
  { "22P02", "22018", -420 }, { "22012", "22012", -801 }, { "40001", "40001", -911 }, { "40P01", "40001", -911 },
  { "55P03", "57033", -913 }, { "55019", "55019", -7008 }, { "22021", "22021", -330 }, { "P0001", "09000", -723 },
  { "25P02", "40000", -99999 }, { "53300", "57011", -904 }, { "53100", "57011", -904 }, { "57014", "57014", -952 }, { "28P01", "08001", -30082 }, { "28000", "08001", -30082 },
  { "3D000", "08004", -30061 }, { "57P01", "08001", -30081 }, { "57P02", "08001", -30081 }, { "57P03", "08001", -30081 },
  { "08S01", "08001", -30081 }, { "08001", "08001", -30081 }, { "08006", "08001", -30081 }, { "08003", "08003", -99999 },
};
EXPORT I16 SQLGetDiagRec(I16 t, I32 h, I16 n, UC *st, I32 *native, UC *msg, I16 ml, I16 *ol) {
  struct hrec *r = get(h, t); if (!r) return BADH_;
  if (r->st[0]) {
    if (n > 1) return NODATA_;
    strcpy((char *)st, r->st); *native = r->native; snprintf((char *)msg, ml, "%s", r->msg); if (ol) *ol = (I16)strlen(r->msg);
    return OK_;
  }
  UC s2[8] = "", m2[2048] = ""; I32 nat = 0; I16 l2 = 0;
  I16 rc = r_SQLGetDiagRec(t, r->real, n, s2, &nat, m2, sizeof m2, &l2);
  if (rc != OK_ && rc != INFO_) return rc;
  const char *os = (char *)s2; I32 oc = nat;
  if (opt_map && (strstr((char *)m2, "authentication failed") || (strstr((char *)m2, "role ") && strstr((char *)m2, "does not exist") && t == H_DBC))) { os = "08001"; oc = -30082; }
  else if (opt_map && t == H_DBC && strstr((char *)m2, "database ") && strstr((char *)m2, "does not exist")) { os = "08004"; oc = -30061; }
  else if (opt_map) {
    size_t i, k = sizeof map / sizeof *map;
    for (i = 0; i < k; i++) if (!strcmp(map[i].pg, os)) { os = map[i].st; oc = map[i].code; break; }
    if (i == k && (strstr((char *)m2, "server closed the connection") || strstr((char *)m2, "no connection to the server") ||
        strstr((char *)m2, "Could not send") || strstr((char *)m2, "could not connect") || strstr((char *)m2, "could not receive") || strstr((char *)m2, "connection lost") ||
        strstr((char *)m2, "connection has been lost") || strstr((char *)m2, "internal SAVEPOINT failed"))) { os = "08001"; oc = -30081; }
  }
  for (UC *q = m2; *q; q++) if (*q == '\n') *q = ' ';
  strcpy((char *)st, os); *native = oc;
  if (opt_map && oc < -1) snprintf((char *)msg, ml, "[db2shim][CLI Driver] SQL%04dN  %s  SQLSTATE=%s (native %s)", -oc, m2, os, s2);
  else snprintf((char *)msg, ml, "[db2shim][CLI Driver] %s  SQLSTATE=%s", m2, os);
  if (ol) *ol = (I16)strlen((char *)msg);
  tr("SQLGetDiagRec %d %s/%d -> %s/%d %s", h, s2, nat, os, oc, m2);
  return OK_;
}
