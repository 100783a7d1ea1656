import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { harbourId, summaryOf } from './apply-form.ts'

const path = `/console/${harbourId}/logo`
const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${inside}</svg>`
const logoIn = ({ text }: Answer) => /<img class="avatar[^"]*" src="([^"]*)"/.exec(text)?.[1]

inDemoWorldInTurn('the logo of a company', (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')

  test('the demo has logos that pass the check', async () => {
    for (const path of ['/jobs/31', '/jobs/33']) {
      const file = await rae.get(logoIn(await rae.get(path)) ?? assert.fail(path))
      assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'image/svg+xml'])
    }
    await upload(undefined, 'remove')
  })

  async function upload(content: string | undefined, action = 'save'): Promise<Answer> {
    const { fields } = await rae.form(path)
    const texts = fields.map(([name, value]) => ({ name, content: value }))
    const file =
      content === undefined
        ? [{ name: 'action', content: action }]
        : [{ name: 'logo', fileName: 'logo.svg', content }]
    return rae.upload(path, [...texts, ...file])
  }

  test('is uploaded, shown where the company appears, replaced and removed', async () => {
    assert.equal(logoIn(await rae.get(path)), undefined)
    assert.equal(localPath(await upload(svg('<path d="M0 0h8z"/>'))), `${path}?done=uploaded`)
    const first = logoIn(await rae.get(path)) ?? ''
    const stranger = new Browser(world().door)
    for (const page of ['/', '/jobs', '/jobs/31']) {
      const { text } = await stranger.send('GET', page, { headers: { accept: 'text/html' } })
      assert.ok(text.includes(`src="${first}"`), page)
    }

    const file = await stranger.get(first)
    assert.equal(file.status, 200)
    assert.equal(file.text, svg('<path d="M0 0h8z"/>'))
    assert.equal(file.headers.get('content-type'), 'image/svg+xml')
    assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(file.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff')

    await upload(svg('<path d="M0 0h4z"/>'))
    assert.notEqual(logoIn(await rae.get(path)), first)
    assert.equal((await stranger.get(first)).status, 404)
    assert.equal(localPath(await upload(undefined, 'remove')), `${path}?done=removed`)
    assert.equal(logoIn(await stranger.get('/jobs/31')), undefined)
  })

  test('is refused with a reason if it is hostile, large or missing', async () => {
    const refused: [content: string | undefined, status: number, words: RegExp][] = [
      [svg('<script>alert(1)</script>'), 422, /^The logo must be an SVG without &lt;script&gt;\.$/],
      [svg('<image href="https://example.com/spy.png"/>'), 422, /without &lt;image&gt;/],
      [svg('<use href="https://example.com/x.svg#a"/>'), 422, /refers to nothing outside/],
      ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', 422, /must be an SVG or PNG/],
      ['GIF89a', 422, /must be an SVG or PNG/],
      ['x'.repeat(70_000), 422, /must be 64 kB or smaller/],
      [undefined, 422, /Choose an image file/],
    ]
    for (const [content, status, words] of refused) {
      const answer = await upload(content)
      assert.equal(answer.status, status, content?.slice(0, 40))
      const [[field, message] = []] = summaryOf(answer.text)
      assert.equal(field, 'logo')
      assert.match(message ?? '', words)
    }
    assert.equal(logoIn(await rae.get(path)), undefined)
  })

  test('can be changed by admins only', async () => {
    const rex = await Browser.signedIn(world().door, 'rex@example.com')
    assert.equal((await rex.get(path)).status, 403)
    assert.doesNotMatch((await rex.get(`/console/${harbourId}/applications`)).text, /Company logo/)
  })
})
