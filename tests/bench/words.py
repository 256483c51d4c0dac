"""The word lists and code templates that the benchmark corpus is made of."""

NOUNS = (
    "account adapter agent alert allocation archive artifact asset attempt audit backlog backup balance batch"
    " binding boundary branch broker bucket budget buffer bundle cache callback catalog certificate channel"
    " checkout checksum client cluster column command commit component condition configuration connection consumer"
    " container context contract controller cookie counter coverage credential cursor customer dashboard database"
    " deadline decision default dependency deployment descriptor detail developer device diagram directory"
    " discount document domain draft driver duplicate editor effect element endpoint engine entity environment"
    " error escalation event exception expiry export extension failure fallback feature field filter fixture"
    " folder format fragment frame gateway glossary guideline handler handshake header heartbeat history hook"
    " identifier image import incident index inventory invoice isolation issue iteration journal key label latency"
    " layer ledger library license limit listener loader locale lock log machine manifest mapping margin measure"
    " mechanism memory message metadata metric middleware migration milestone mirror model module monitor"
    " namespace network node notification number object observer offset operation operator option order"
    " orchestration origin outage outcome overhead owner package page parameter parser partition password patch"
    " path pattern payload payment permission pipeline placeholder planner plugin policy pool port prefix priority"
    " process product profile project prompt property protocol provider proxy publisher query queue quota rate"
    " reader receipt record recovery reducer reference region registry release renderer replica report repository"
    " request requirement reservation resource response restriction result retry review revision role rollback"
    " route router rule runbook runner sample scenario schedule schema scope screen script section segment"
    " selector sequence server service session setting shard shipment signal signature snapshot socket source"
    " specification stage standard statement status step storage strategy stream string structure subscription"
    " suffix summary supplier surface switch symbol synchronization system table target task team template tenant"
    " terminal threshold throughput ticket timeout timestamp token tool topic trace tracker transaction transition"
    " tree trigger type upgrade upload user validation value variable vendor verification version view violation"
    " volume warehouse warning watcher webhook widget window worker workflow workspace wrapper"
).split()
VERBS = (
    "accept acknowledge add aggregate align allow announce append apply approve archive assemble assign attach"
    " avoid batch begin block bootstrap break build bypass cache calculate call cancel capture change check claim"
    " clean collect combine compare compile complete compress compute confirm connect consume contain convert copy"
    " correct count create debounce decline decode defer define delay delegate delete deliver depend describe"
    " detect discard drain drop duplicate emit enable encode enforce enqueue estimate evaluate examine exclude"
    " execute expand expect expire explain expose fail fetch filter flush follow forbid format forward generate"
    " guard handle hide hold ignore import include increase inherit initialize inject insert inspect install"
    " invalidate invoke isolate join keep leave limit list load lock log lose maintain manage mark match measure"
    " merge migrate monitor move name need normalize notify observe open optimize order override own pair parse"
    " pass pause persist poll prefer prepare prevent process produce project promote protect prove publish purge"
    " push query raise read rebuild receive reconcile record recover redact reduce refresh refuse register reject"
    " release reload remove rename render repeat replace replay report request require reserve resolve respond"
    " restart restore restrict retry return reuse revert review rewrite rotate route run sanitize save scale scan"
    " schedule search select send separate serialize share show skip sort split start stop store stream strip"
    " submit subscribe summarize support suspend swap synchronize tag test throttle trace transform translate"
    " trigger trim truncate trust unlock update upgrade use validate verify wait warm watch wrap write yield"
).split()
ADJECTIVES = (
    "absolute active actual additional ambient atomic automatic available backward basic binary broken bounded"
    " brief canonical careful cheap clean clear cold common compatible complete complex concrete concurrent"
    " conditional consistent constant correct critical current custom daily deep deprecated deterministic"
    " different direct distributed durable dynamic eager early empty encrypted essential eventual exact exclusive"
    " existing expensive experimental explicit external fast final fixed flaky flat foreign former fragile"
    " frequent fresh full generic global graceful hidden historical human idempotent immediate immutable implicit"
    " important incoming incomplete incremental independent initial inner internal invalid large last late lazy"
    " legacy light linear local logical long main manual maximum mean minimal missing mutable narrow native nested"
    " new nightly noisy nominal normal null obsolete offline old open optional ordered ordinary outer outgoing"
    " parallel partial pending permanent persistent plain portable possible precise previous primary private"
    " public quick quiet random rare raw read-only recent recursive redundant relative reliable remote required"
    " responsible reusable safe scheduled secondary secure separate sequential serial shared short silent similar"
    " simple single slow small soft special stable stale standard static strict strong structured subtle"
    " sufficient synchronous temporary thin total transient trivial typed unique unknown unsafe upstream useful"
    " valid verbose visible volatile weak weekly whole wide"
).split()
# Words that no vocabulary holds whole, as real texts have them.
PREFIXES = "un re pre post over under auto multi de sub non inter meta micro hyper".split()
SUFFIXES = "ification izer ability less ness wise like ment ship esque ology itis ward hood scape".split()
PEOPLE = (
    "Amélie Jürgen Søren Łukasz Siobhán Zoë Nuño François Björk İpek Ngọc María Chloé Dvořák"
    " Alice Bob Carol Deepak Erin Farouk Grace Hiro Ines Jonas Keiko Liam Mei Noor Olga Priya Quentin Rosa Sven Tara"
).split()
FOREIGN = (
    "設定ファイルは起動時に一度だけ読み込まれます。変更した後は再起動してください。",
    "トークン数は正確に計算され、ヘッダーも含まれます。上限を超えると警告が表示されます。",
    "请在部署之前运行所有测试，并确认数据库迁移已经完成。",
    "缓存失效时间默认为五分钟，可以通过环境变量调整。",
    "요청이 실패하면 최대 세 번까지 재시도하고 그 결과를 기록합니다.",
    "Die Zwischenablage wird nach dem Schließen geleert; größere Einträge müssen vorher gespeichert werden.",
    "Les clés périmées sont renouvelées à l’échéance, même si le réseau est indisponible.",
    "La migración añadió un índice; el tamaño pasó de 3 a 7 MB según la medición de mañana.",
    "Перед выпуском проверьте журнал ошибок и обновите список зависимостей.",
    "Zażółć gęślą jaźń – wartości graniczne są sprawdzane przy każdym zapisie.",
    "Δεν αποθηκεύονται κωδικοί πρόσβασης σε αρχεία καταγραφής.",
    "🚀 Shipped in {v0} — thanks to {person}! ✅ 中文说明见附录。",
)
SENTENCES = (
    "The {a} {n} must {v} every {n} before the {n} can {v} it.",
    "When a {n} is {a}, {v} the {n} and {v} the {a} {n} instead.",
    "We {v} the {n} once per {n}, because a second {n} would {v} it again.",
    "`{id}` returns the {a} {n}; it does not {v} anything and is safe to {v} from several {n}s.",
    "In practice the {n} takes about {num} ms, of which the {n} is less than {pct} %.",
    "Do not {v} the {n} by hand: the {a} {n} will {v} it on the next {n}.",
    "See [{a} {n}]({link}) for how to {v} a {n} that is {a} or {a}.",
    "If `{id}` is set to `{value}`, {n}s are {a} and the {n} cannot {v} them.",
    "This was decided in {date}: a {a} {n} is easier to {v} than a {a} {n}, even though it costs {num} more {n}s.",
    "**Note:** {n}s created before {v0} are {a}; {v} them with `{cmd}` first.",
    "The {n}, the {n} and the {n} share one {a} {n}, so they either all {v} or none of them does.",
    "Most teams {v} the {n} weekly, some {v} it daily, and nobody should {v} it during a {n}.",
    "It's the caller's job to {v} the {n}; we only {v} what the {n} doesn't {v} itself.",
    "{person} measured the {a} path: {num} {n}s a second with one {n}, {num2} with two.",
    "Older {n}s still use `{id}` and *will* {v} twice unless `{id2}` is {a}.",
    "There are two ways to {v} a {n}: the {a} one, which can {v} the {n}, and the {a} one, which cannot.",
    "A {n} that fails to {v} within {num} seconds is marked {a} and its {n} is released.",
    "What looks like a {a} {n} is often only a {n} whose {n} has not been {a} yet.",
)
ITEMS = (
    "{v} the {a} {n} before each {n}",
    "`{id}`: the {n} that is {a} after a {n}",
    "**{cap}** – {v} and {v} the {n}, then {v}",
    "{cap} {n} for {person} (see [#{num}]({link}))",
    "never {v} a {a} {n} without a {n}",
    "`{cmd}` – {v} all {n}s",
    "{pct} % of {n}s are {a}; the {n} has the rest",
)
CODE = (
    """```python
# {cap} the {a} {n} and {v} it
def {fn}({arg}: {Cls}, *, limit: int = {num}) -> list[{Cls2}]:
    \"\"\"{cap} {n}s that are {a}.\"\"\"
    found: dict[str, {Cls2}] = {{}}
    for index, {arg2} in enumerate({arg}.{fn2}()):
        # a {a} {n} never counts twice
        if {arg2}.{id} is None or index >= limit:
            continue
        found[{arg2}.key] = {Cls2}({arg2}, {id}="{value}")
    return sorted(found.values(), key=lambda item: item.{id2})
```
""",
    """```typescript
export interface {Cls} {{
  {id}: string;
  {id2}?: number | null; // {a} {n}
  readonly {arg}: Record<string, {Cls2}>;
}}

export async function {camel}(input: {Cls}, timeoutMs = {num}00): Promise<{Cls2}[]> {{
  const response = await fetch(`${{BASE_URL}}/{arg}/${{input.{id}}}`, {{ method: "POST" }});
  if (!response.ok) throw new Error(`{n} failed: ${{response.status}}`);
  return (await response.json()).items.filter((item) => item.{id2} !== null);
}}
```
""",
    """```bash
# {v} the {n}
set -euo pipefail
export {env}={value}
{cmd} --{flag} "$HOME/.config/{arg}" | tee /tmp/{arg}.log
# only the {a} {n}s
for name in {arg}-{{1..{num}}}; do
  curl -fsS -H "Authorization: Bearer $TOKEN" "https://{arg2}.example.com/api/{id}/$name" || exit 1
done
```
""",
    """```yaml
# {a} {n}
{arg}:
  {id}: {num}
  {id2}: "{value}"
  {arg2}:
    - name: {flag}
      enabled: true   # {v} first
    - name: {n}-{num2}
      retries: 3
```
""",
    """```json
{{
  "{id}": "{value}",
  "{id2}": {num},
  "{arg}": [{{"{arg2}": true, "version": "{v0}"}}, {{"{arg2}": false, "created": "{date}-14T09:{pct}:00Z"}}],
  "sha256": "{hex}"
}}
```
""",
    """```sql
-- {a} {n}s of a {n}
SELECT {arg}.{id}, COUNT(*) AS total, MAX({arg}.created_at)
FROM {arg}
LEFT JOIN {arg2} ON {arg2}.{id2} = {arg}.{id2}
WHERE {arg}.status = '{value}' AND {arg}.size > {num}
GROUP BY 1 HAVING COUNT(*) > {pct}
ORDER BY total DESC LIMIT 50;
```
""",
    """```go
// {Cls} can {v} a {n}.
func ({arg} *{Cls}) {Cls2}(ctx context.Context, id string) (*{Cls2}, error) {{
\tctx, cancel := context.WithTimeout(ctx, {num}*time.Millisecond)
\tdefer cancel()
\trow, err := {arg}.db.QueryContext(ctx, "SELECT {id} FROM {arg2} WHERE id = $1", id)
\tif err != nil {{
\t\treturn nil, fmt.Errorf("{v} {n} %q: %w", id, err)
\t}}
\treturn scan(row)
}}
```
""",
    """```toml
# {v} {n}s
[tool.{arg}]
{id} = {num}
{id2} = ["{value}", "{n}"]  # {a}

[tool.{arg}.{arg2}]
path = "src/{arg}/{fn}.py"
```
""",
)
