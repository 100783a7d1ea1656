import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { accentsOf, surfaces } from '../../src/platform/core/brand/colour.ts'
import { assetText } from '../../src/platform/web/assets.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { createTestServer } from '../harness/server.ts'
import type { Services } from '../harness/services.ts'

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'

describe('the board of the operator', () => {
  let database: TestDatabase
  let services: Services
  let folder: string
  let app: FastifyInstance
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { accept: 'text/html', ...headers } })

  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    folder = await mkdtemp(join(tmpdir(), 'dossier-board-'))
    await writeFile(join(folder, 'logo.svg'), logo)
    const settings = {
      ...database.settings,
      BOARD_NAME: 'Harbour & Sons Jobs',
      BOARD_LOGO: join(folder, 'logo.svg'),
      BOARD_COLOUR: '#0f5c5c',
      BOARD_CONTACT: 'help@harbour.example',
      BOARD_PRIVACY_URL: 'https://harbour.example/privacy',
      BOARD_TERMS_URL: 'https://harbour.example/terms',
      BOARD_HOME_URL: 'https://harbour.example/',
      RETENTION_DAYS: '45',
      BACKUP_URL: '/backup',
      BACKUP_KEEP: '10',
      CONSENT_DAYS: '30',
    }
    services = await open(settings)
    await services.schema.migrate()
    ;({ app } = await createTestServer(services, settings))
  })

  after(async () => {
    await app?.close()
    await services?.close()
    await database?.remove()
    await rm(folder, { recursive: true })
  })

  test('gives its name to titles and headers, and its links to the footer', async () => {
    for (const path of ['/', '/jobs', '/docs', '/sign-in', '/about/data', '/nowhere']) {
      const { body } = await get(path)
      assert.match(body, /<title>[^<]* · Harbour &amp; Sons Jobs<\/title>/, path)
      assert.match(
        body,
        /<a class="brand" href="https:\/\/harbour\.example\/"><img [^>]*>Harbour &amp; Sons Jobs</,
      )
      for (const url of [
        'mailto:help@harbour.example',
        'https://harbour.example/privacy',
        'https://harbour.example/terms',
      ])
        assert.ok(body.includes(`href="${url}"`), `${path} ${url}`)
    }
  })

  test('shows its logo, which is harmless when opened by itself', async () => {
    const { body } = await get('/jobs')
    const url = /<img src="([^"]+)"/.exec(body)?.[1] ?? ''
    const answer = await get(url)
    assert.equal(answer.body, logo)
    assert.equal(answer.headers['content-type'], 'image/svg+xml')
    assert.equal(answer.headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.match(String(answer.headers['cache-control']), /immutable/)
  })

  test('has its colour in its own stylesheet, after the common one', async () => {
    const { body } = await get('/jobs')
    const sheets = [...body.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, url]) => String(url))
    assert.match(String(sheets.at(-1)), /board\.css$/)
    const { light, dark } = accentsOf('#0f5c5c')
    assert.ok(
      (await get(String(sheets.at(-1)))).body.includes(`--accent:light-dark(${light.accent},${dark.accent})`),
    )
  })

  test('says how long each kind of data is kept, from the settings in force', async () => {
    const { body } = await get('/about/data')
    for (const period of [
      '45 days later',
      '30 days, or until you withdraw',
      '14 days, or until you sign out',
      'About 10 days after it was deleted',
    ])
      assert.ok(body.includes(period), period)
    assert.ok(body.includes('Harbour &amp; Sons Jobs keeps what you enter'))
  })

  test('the colours of the stylesheet are those that the colour check assumes', () => {
    const css = assetText('style.css')
    assert.match(css, new RegExp(`--ground:light-dark\\(${surfaces.light},`))
    assert.match(css, new RegExp(`--card:light-dark\\(#ffffff,${surfaces.dark}\\)`))
    const { light, dark } = accentsOf('#0b5cad')
    assert.ok(css.includes(`--accent:light-dark(${light.accent},${dark.accent});`))
    assert.ok(css.includes(`--accent-soft:light-dark(${light.soft},${dark.soft});`))
  })

  describe('light and dark', () => {
    const choose = (fields: Record<string, string>) =>
      app.inject({
        method: 'POST',
        url: '/theme',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      })

    test('a choice is remembered by the browser and returns to the page', async () => {
      const answer = await choose({ theme: 'dark', to: '/jobs?q=barista' })
      assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/jobs?q=barista'])
      const beyondAscii = await choose({ theme: 'dark', to: '/jobs?q=café €' })
      assert.deepEqual(
        [beyondAscii.statusCode, beyondAscii.headers.location],
        [303, '/jobs?q=caf%C3%A9%20%E2%82%AC'],
      )
      const cookie = String(answer.headers['set-cookie'])
      assert.match(cookie, /^dossier-theme=dark; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/)
      const { body } = await get('/jobs', { cookie: 'a=b; dossier-theme=dark' })
      assert.match(body, /<html lang="en-AU" data-theme="dark">/)
      assert.match(body, /value="dark" aria-pressed="true"/)
    })

    test("choosing the device's colours clears it", async () => {
      assert.match(
        String((await choose({ theme: 'system', to: '/' })).headers['set-cookie']),
        /^dossier-theme=; Max-Age=0;/,
      )
      const { body } = await get('/jobs')
      assert.match(body, /<html lang="en-AU">/)
      assert.match(body, /value="system" aria-pressed="true"/)
    })

    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      '/.//evil.example',
      '//[',
      'javascript:alert(1)',
      '',
    ]) {
      test(`does not redirect elsewhere: ${JSON.stringify(to)}`, async () => {
        assert.equal((await choose({ theme: 'dark', to })).headers.location, '/')
      })
    }

    for (const cookie of ['dossier-theme=dark"><script>', 'dossier-theme=', 'xdossier-theme=dark']) {
      test(`an invalid cookie changes nothing: ${cookie}`, async () => {
        assert.match((await get('/jobs', { cookie })).body, /<html lang="en-AU">/)
      })
    }
  })
})
