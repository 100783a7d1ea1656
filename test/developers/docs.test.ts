import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import MiniSearch from 'minisearch'
import { problems } from '../../src/model/problems.ts'
import { limits } from '../../src/settings-limits.ts'
import { createSearch, type SearchEntry } from '../../src/site/docs/assets/docs-search.mjs'
import { loadHighlight } from '../../src/site/docs/code/highlight-markup.ts'
import { pairsOf, renderGuide } from '../../src/site/docs/guide-markup.ts'
import { docsPageList } from '../../src/site/docs/navigation-markup.ts'
import { callsOf, type OpenApiDocument } from '../../src/site/docs/reference/openapi.ts'
import { callPath } from '../../src/site/docs/reference/overview-markup.ts'
import { sampleLanguages } from '../../src/site/docs/sample-list.ts'
import { call, send } from '../harness/http.ts'
import { readText } from '../harness/repository.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

const document: OpenApiDocument = JSON.parse(readText('spec/openapi.json'))
const paths = [
  ...docsPageList.map(({ path }) => path),
  ...sampleLanguages.map(name => `/docs/samples/${name}`),
  ...callsOf(document).map(callPath),
  '/docs/reference/schemas',
  '/docs/search',
  '/docs/search?q=retry',
]
/** The maximum weight of a first visit, as a browser receives it. */
const maxBytes = 60_000
const compressed = { 'accept-encoding': 'gzip' }

const plain = (text: string) =>
  text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/&#(39|x27);/g, "'")
    .replaceAll('&amp;', '&')

async function pageAt(service: Service, path: string): Promise<string> {
  const answer = await call(service, path, { headers: { accept: 'text/html' } })
  assert.equal(answer.status, 200, path)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  return answer.text
}

const articleIn = (page: string) => /<article.*<\/article>/s.exec(page)?.[0] ?? ''
const idsIn = (page: string) => [...page.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id)

onOneEngine('the developer docs', { env: { RATE_LIMIT_V1_PER_MINUTE: '1234' } }, service => {
  test('every page has one title and links to every other, and is light', async () => {
    const sizes = new Map<string, number>()
    for (const path of paths) {
      const page = await pageAt(service(), path)
      assert.equal(page.match(/<h1>/g)?.length, 1, path)
      for (const other of docsPageList) assert.ok(page.includes(`<a href="${other.path}"`), other.path)
      const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, url = '']) => url)
      // No text waits for the typeface.
      const parts = new Set([path, ...named.filter(url => !url.endsWith('.woff2'))])
      for (const url of [...parts].filter(each => !sizes.has(each))) {
        const { bytes } = await send(service().baseUrl, url, 'GET', { headers: compressed })
        sizes.set(url, bytes.length)
      }
      const bytes = [...parts].reduce((sum, url) => sum + (sizes.get(url) ?? 0), 0)
      assert.ok(bytes <= maxBytes, `${path}: ${bytes} bytes`)
    }
  })

  test('every link of the docs leads somewhere, and every ID is unique', async () => {
    const pages = new Map<string, string>()
    for (const path of paths) pages.set(path, await pageAt(service(), path))
    for (const [path, page] of [...pages]) {
      const ids = idsIn(page)
      assert.deepEqual(ids, [...new Set(ids)], path)
      for (const [, link = ''] of page.matchAll(/<a\b[^>]*href="([/#?][^"]*)"/g)) {
        const [target = '', anchor] = link.replace(/^\?[^#]*/, '').split('#')
        if (target !== '' && !pages.has(target)) pages.set(target, (await call(service(), target)).text)
        const other = target === '' ? page : String(pages.get(target))
        if (anchor !== undefined && link !== '#main') {
          assert.ok(idsIn(other).includes(anchor), `${path}: ${link}`)
        }
      }
    }
  })

  test('the quick start runs as it is printed', async () => {
    const page = await pageAt(service(), '/docs')
    const commands = [...page.matchAll(/<pre id="[^"]*"><code>([\s\S]*?)<\/code>/g)]
      .map(([, code = '']) => plain(code))
      .filter(code => /^(npm|curl) /.test(code))
    assert.deepEqual(
      commands.map(command => command.split(' ', 1)[0]),
      ['npm', 'curl', 'curl', 'curl'],
    )
    const folder = mkdtempSync(join(tmpdir(), 'dossier-docs-'))
    try {
      const script = `set -e\n${commands.slice(1).join('\n')}\n`
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder })
      assert.match(stdout, /^link: <.*>; rel="next"/im)
      assert.match(stdout, /"FirstName":"Mary","LastName":"Nguyen"/)
      assert.match(stdout, /"AfterID":"18"/)
      assert.match(readFileSync(join(folder, 'resume.pdf'), 'latin1'), /^%PDF-/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('pitfalls for users of OAuth libraries are on the pages that they read', async () => {
    const switches = ['OAUTHLIB_INSECURE_TRANSPORT', 'AUTHLIB_INSECURE_TRANSPORT']
    const libraries = [
      'requests-oauthlib',
      'Authlib',
      'simple-oauth2',
      'openid-client',
      'Spring',
      'IdentityModel',
    ]
    const expected = {
      '/docs': [...switches, 'SWS', 'no refresh tokens', 'AUTH_URL', 'problem details'],
      '/docs/share': [...switches, ...libraries, 'AUTH_URL', 'invalid_scope', 'problem details'],
      '/docs/collect': [...libraries, 'withhold_token', 'protected_request', 'SetToken'],
    }
    for (const [path, words] of Object.entries(expected)) {
      const page = plain(await pageAt(service(), path))
      for (const word of words) assert.ok(page.includes(word), `${path}: ${word}`)
    }
  })

  test('every error has its section, to which its type leads browsers; programs get the text', async () => {
    const page = await pageAt(service(), '/docs/errors')
    for (const [code, { title, help, status }] of Object.entries(problems)) {
      const section = plain(page.slice(page.indexOf(`<h3 id="${code}">`)).split('</section>', 1)[0] ?? '')
      for (const words of [code, `HTTP ${status}`, title, help]) assert.ok(section.includes(words), code)
      const sent = await call(service(), `/problems/${code}`, { headers: { accept: 'text/html,*/*' } })
      assert.deepEqual([sent.status, sent.headers.get('location')], [303, `/docs/errors#${code}`])
      const told = await call(service(), `/problems/${code}`)
      assert.equal(told.headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.ok(told.text.includes(help))
    }
    const { status } = await call(service(), '/problems/nothing', { headers: { accept: 'text/html' } })
    assert.equal(status, 404)
  })

  test('every limit on requests and rates is documented with its value', async () => {
    const page = await pageAt(service(), '/docs/limits')
    assert.match(page, /<strong>1,234 per minute<\/strong>/)
    // Only people see these, on the pages to sign up and in.
    const pages = new Set([
      'RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE',
      'RATE_LIMIT_SIGN_IN_CODES_PER_HOUR',
    ])
    for (const { setting, reason } of Object.values(limits)) {
      if (!/^(MAX|RATE_LIMIT)_/.test(setting) || pages.has(setting)) continue
      assert.ok(page.includes(setting) && plain(page).includes(reason), setting)
    }
  })

  test('a language or a call that does not exist is a page that says so', async () => {
    for (const path of ['/docs/samples/cobol', '/docs/reference/nothing']) {
      const answer = await call(service(), path, { headers: { accept: 'text/html' } })
      assert.equal(answer.status, 404)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    }
  })

  test('the language of the code comes from the address, and is remembered', async () => {
    const page = (path: string, cookie = '') =>
      send(service().baseUrl, path, 'GET', { headers: { accept: 'text/html', cookie } })
    const first = await page('/docs/collect')
    assert.equal(first.headers.get('set-cookie'), null)
    assert.match(plain(first.text), /curl -H 'Authorization: SWS/)
    const chosen = await page('/docs/collect?lang=php')
    assert.match(plain(chosen.text), /\$curl = curl_init\('http/)
    const [cookie = ''] = (chosen.headers.get('set-cookie') ?? '').split(';')
    assert.match(
      chosen.headers.get('set-cookie') ?? '',
      /; Path=\/docs; HttpOnly; SameSite=Lax; Max-Age=\d+$/,
    )
    for (const path of ['/docs', '/docs/reference/token', '/docs/samples']) {
      assert.match(plain((await page(path, cookie)).text), /<\?php/, path)
    }
    // A URL with a section takes precedence over the remembered one.
    assert.match(plain((await page('/docs/samples/python', cookie)).text), /^import /m)
    for (const lang of ['cobol', '__proto__', '"><script>', 'php%00']) {
      const other = await page(`/docs/collect?lang=${encodeURIComponent(lang)}`, 'docs-language=%3Cb%3E')
      assert.equal(articleIn(other.text), articleIn(first.text))
    }
  })

  test('the search finds words, parts and misspelt words, in the index that browsers get', async () => {
    const index = await send(service().baseUrl, '/assets/docs-search.json', 'GET', {})
    assert.match(index.headers.get('cache-control') ?? '', /max-age/)
    const entries: SearchEntry[] = index.json()
    const find = createSearch(MiniSearch, entries)
    // Further words would cost a search each.
    assert.deepEqual(find('a b c d e f g h nowhere', 5), find('a b c d e f g h', 5))
    assert.equal(find('a b c nowhere', 5).length, 0)
    const first = (query: string) => find(query, 10)[0]?.path
    assert.equal(first('screening answers'), '/docs/collect#screening-answers')
    assert.equal(first('idempotency-key-reused'), '/docs/errors#idempotency-key-reused')
    assert.equal(first('list applications'), '/docs/reference/listApplications')
    assert.ok(find('pollin', 10).some(({ path }) => path.startsWith('/docs/polling')))
    assert.ok(find('authorizaton', 10).length > 0)
    assert.ok(find('afterid', 50).some(({ path }) => path === '/docs/collect#filters'))
    assert.deepEqual(find('zzzzzz', 10), [])
    for (const { path, text } of entries) assert.doesNotMatch(text, /<\/|&(lt|#39|#x27);/, path)
    const targets = await Promise.all(
      [...new Set(entries.map(({ path }) => path.split('#')[0] ?? ''))].map(
        async path => [path, idsIn(await pageAt(service(), path))] as const,
      ),
    )
    const known = new Map(targets)
    for (const { path } of entries) {
      const [target = '', id] = path.split('#')
      assert.ok(id === undefined || known.get(target)?.includes(id), path)
    }

    const asked = await pageAt(service(), '/docs/search?q=screening+answers')
    const links = [...asked.matchAll(/<li><a href="([^"]*)">/g)].map(([, href]) => href)
    assert.ok(links.includes('/docs/collect#screening-answers'))
    const hostile = await pageAt(service(), `/docs/search?q=${encodeURIComponent('"><script>x</script>(')}`)
    assert.doesNotMatch(hostile, /<script>x/)
    const long = await pageAt(service(), `/docs/search?q=${'a'.repeat(5000)}`)
    assert.match(long, /Nothing found/)
    assert.doesNotMatch(articleIn(long), /a{101}/)
  })
})

const demo = { baseUrl: 'http://127.0.0.1:9000', authUrl: 'http://localhost:9001', isDemo: true }
const style = { highlight: await loadHighlight(), language: 'curl' } as const

test('a guide in the demo prints the addresses of this service, and elsewhere those of the demo', async () => {
  const file = 'docs/integrating/sharing.md'
  const here = (await renderGuide(file, readText(file), demo, style)).body.text
  assert.match(here, /http:\/\/localhost:9001\/api\/iam\/oauth2\/token/)
  assert.match(here, /http:\/\/127\.0\.0\.1:9000\/v2\/applications\/prefilled/)
  const elsewhere = (await renderGuide(file, readText(file), { ...demo, isDemo: false }, style)).body.text
  assert.match(elsewhere, /http:\/\/localhost:8080\/v2\/applications\/prefilled/)
})

test('markup in a guide is shown, not obeyed, and a broken link is refused', async () => {
  const render = (markdown: string) => renderGuide('docs/integrating/polling.md', markdown, demo, style)
  const { body, title, sections } = await render('# T\n\n## A `b` c\n\n<b onclick="x()">bold</b> `<i>`\n')
  assert.deepEqual([title, sections], ['T', [{ id: 'a-b-c', label: 'A b c' }]])
  assert.doesNotMatch(body.text, /<b |<i>/)
  assert.match(body.text, /&lt;i&gt;/)
  assert.match((await render('[x](collecting.md#filters)')).body.text, /href="\/docs\/collect#filters"/)
  await assert.rejects(render('[x](../operating/running.md)'), /is not in the docs/)
})

test('code is marked up by class names alone, and escaped whatever it contains', async () => {
  const { highlight } = style
  const hostile = '<script>alert("x")</script> &amp; \'"` </code></pre><img onerror=x>'
  for (const grammar of [
    'sh',
    'json',
    'xml',
    'typescript',
    'python',
    'csharp',
    'php',
    'cobol',
    '',
    'toString',
  ]) {
    const { text } = highlight(hostile, grammar)
    assert.doesNotMatch(text.replace(/<span class="[\w -]+">|<\/span>/g, ''), /[<>"]/, grammar)
    assert.equal(plain(text), hostile, grammar)
  }
  assert.equal(highlight('"a"', 'json').text, '<span class="h-string">&quot;a&quot;</span>')
  for (const code of ['```sh\n', '```json 200\n', '```\n']) {
    const { body } = await renderGuide('docs/a.md', `${code}${hostile}\n\`\`\``, demo, style)
    assert.doesNotMatch(body.text, /<script|<img/)
  }
})

test('code is beside the text before it, up to the next heading or the next code', () => {
  const kinds = [
    'heading',
    'paragraph',
    'code',
    'code',
    'table',
    'paragraph',
    'code',
    'list',
    'heading',
    'paragraph',
  ]
  const tokens = kinds.map((type, index) => ({ type, raw: String(index) }))
  const numbers = (list: readonly { raw: string }[]) => list.map(({ raw }) => raw).join(' ')
  assert.deepEqual(
    pairsOf(tokens).map(({ text, code, rest }) => [text, code, rest].map(numbers)),
    [
      ['0 1', '2 3', '4'],
      ['5', '6', '7'],
      ['8 9', '', ''],
    ],
  )
})
