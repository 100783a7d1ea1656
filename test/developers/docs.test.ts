import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { problems } from '../../src/core/problems.ts'
import { problemStatus } from '../../src/http/responses/problem-status.ts'
import { limits } from '../../src/limits.ts'
import { renderGuide } from '../../src/site/docs/guide-markup.ts'
import { docsPageList } from '../../src/site/docs/navigation-markup.ts'
import { sampleLanguages } from '../../src/site/docs/sample-list.ts'
import { call, send } from '../harness/http.ts'
import { readText } from '../harness/repository.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

const paths = [
  ...docsPageList.map(({ path }) => path),
  ...sampleLanguages.map(name => `/docs/samples/${name}`),
]
/** What a first visit may weigh. */
const mostBytes = 60_000

const plain = (text: string) =>
  text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

async function pageAt(service: Service, path: string): Promise<string> {
  const answer = await call(service, path, { headers: { accept: 'text/html' } })
  assert.equal(answer.status, 200, path)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  return answer.text
}

const idsIn = (page: string) => [...page.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id)

onOneEngine(
  'the developer docs',
  service => {
    test('every page has one title and the way to every other, and is light', async () => {
      for (const path of paths) {
        const page = await pageAt(service(), path)
        assert.equal(page.match(/<h1>/g)?.length, 1, path)
        for (const other of docsPageList) assert.ok(page.includes(`<a href="${other.path}"`), other.path)
        if (path === '/docs/reference') continue
        const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, url = '']) => url)
        const answers = await Promise.all(
          [...new Set(assets)].map(url => send(service().baseUrl, url, 'GET', {})),
        )
        const bytes = answers.reduce((sum, answer) => sum + answer.bytes.length, Buffer.byteLength(page))
        assert.ok(bytes <= mostBytes, `${path}: ${bytes} bytes`)
      }
    })

    test('every link of the docs leads somewhere, and every id is there once', async () => {
      const pages = new Map<string, string>()
      for (const path of paths) pages.set(path, await pageAt(service(), path))
      for (const [path, page] of pages) {
        const ids = idsIn(page)
        assert.deepEqual(ids, [...new Set(ids)], path)
        for (const [, link = ''] of page.matchAll(/<a\b[^>]*href="([/#][^"]*)"/g)) {
          const [target = '', anchor] = link.split('#')
          const other = target === '' ? page : (pages.get(target) ?? (await call(service(), target)).text)
          if (anchor !== undefined && link !== '#main') {
            assert.ok(idsIn(other).includes(anchor), `${path}: ${link}`)
          }
        }
      }
    })

    test('the quick start runs as it is printed', async () => {
      const page = await pageAt(service(), '/docs')
      const commands = [...page.matchAll(/<pre id="[^"]*"><code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
        plain(code),
      )
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

    test('what users of OAuth libraries stumble over is on the pages that they read', async () => {
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

    test('every error has its place, where its type leads browsers; programs get the text', async () => {
      const page = await pageAt(service(), '/docs/errors')
      for (const [code, { title, help }] of Object.entries(problems)) {
        const section = plain(page.slice(page.indexOf(`<h3 id="${code}">`)).split('</section>', 1)[0] ?? '')
        const status = problemStatus[code as keyof typeof problems]
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

    test('every limit on requests and rates is told, as it is here', async () => {
      const page = await pageAt(service(), '/docs/limits')
      assert.match(page, /<strong>1,234 per minute<\/strong>/)
      // Only people meet it, on the pages to sign up.
      const pages = new Set(['RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE'])
      const told = Object.values(limits).flatMap(limit => ('setting' in limit ? [limit] : []))
      for (const { setting, reason } of told) {
        if (!/^(MAX|RATE_LIMIT)_/.test(setting) || pages.has(setting)) continue
        assert.ok(page.includes(setting) && plain(page).includes(reason), setting)
      }
    })

    test('a language that nobody wrote is a page that says so', async () => {
      const answer = await call(service(), '/docs/samples/cobol', { headers: { accept: 'text/html' } })
      assert.equal(answer.status, 404)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    })
  },
  { env: { RATE_LIMIT_V1_PER_MINUTE: '1234' } },
)

const demo = { baseUrl: 'http://127.0.0.1:9000', authUrl: 'http://localhost:9001', isDemo: true }

test('a guide in the demo prints the addresses of this very service, and elsewhere those of the demo', async () => {
  const file = 'docs/integrating/sharing.md'
  const here = (await renderGuide(file, readText(file), demo)).body.text
  assert.match(here, /http:\/\/localhost:9001\/api\/iam\/oauth2\/token/)
  assert.match(here, /http:\/\/127\.0\.0\.1:9000\/v2\/applications\/prefilled/)
  const elsewhere = (await renderGuide(file, readText(file), { ...demo, isDemo: false })).body.text
  assert.match(elsewhere, /http:\/\/localhost:8080\/v2\/applications\/prefilled/)
})

test('markup in a guide is shown, not obeyed, and a link into the void is refused', async () => {
  const render = (markdown: string) => renderGuide('docs/integrating/polling.md', markdown, demo)
  const { body, title, sections } = await render('# T\n\n## A `b` c\n\n<b onclick="x()">bold</b> `<i>`\n')
  assert.deepEqual([title, sections], ['T', [{ id: 'a-b-c', label: 'A b c' }]])
  assert.doesNotMatch(body.text, /<b |<i>/)
  assert.match(body.text, /&lt;i&gt;/)
  assert.match((await render('[x](collecting.md#filters)')).body.text, /href="\/docs\/collect#filters"/)
  await assert.rejects(render('[x](../operating/running.md)'), /is not in the docs/)
})
