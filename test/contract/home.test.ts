import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { readConfig } from '../../src/settings.ts'
import { withServicesOn } from '../harness/database.ts'
import { formsOf, formTo } from '../harness/html-form.ts'
import { call } from '../harness/http.ts'
import { Browser, doorInto, doorOf, localPath } from '../harness/oauth.ts'
import { createTestServer, serverOptions } from '../harness/server.ts'
import { onOneEngine } from '../harness/service.ts'
import { appOf } from '../harness/services.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

onOneEngine('the front door', service => {
  const home = (accept: string | undefined) =>
    call(service(), '/', { headers: accept === undefined ? {} : { accept } })

  test('programs get the text, browsers the page', async () => {
    for (const accept of [undefined, '*/*', 'text/plain', 'application/json', 'text/*', 'nonsense']) {
      const answer = await home(accept)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8', accept)
      assert.match(
        answer.text,
        /^Dossier: the apply layer of a job board\.\n\nHome: +http\S+\/ .*\/console\n/s,
      )
      assert.equal(answer.headers.get('vary'), 'Accept')
    }
    for (const accept of [browserAccept, 'text/html', 'text/plain;q=0.5, text/html']) {
      const answer = await home(accept)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', accept)
      assert.equal(answer.headers.get('vary'), 'Accept')
      for (const door of ['/jobs', '/account', '/console', '/docs', '/demo', '/demo/outbox'])
        assert.ok(answer.text.includes(`href="${door}"`), door)
    }
  })

  test('one button signs in to the side that the person belongs to', async () => {
    for (const [email, target] of [
      ['mary@example.com', '/account'],
      ['tom@example.com', '/account'],
      ['rae@example.com', '/console'],
      ['rex@example.com', '/console'],
      ['nora@example.com', '/console'],
      ['omar@example.com', '/operator'],
    ] as const) {
      const browser = new Browser(doorOf(service()))
      const page = await browser.send('GET', '/', { headers: { accept: browserAccept } })
      const form = formsOf(page.text).find(({ fields }) =>
        fields.some(([name, value]) => name === 'email' && value === email),
      )
      assert.ok(form !== undefined, email)
      const answer = await browser.submit(form)
      assert.equal(answer.status, 303, answer.text)
      assert.equal(localPath(answer), target)
      assert.ok(browser.session !== undefined)

      // The signed-in person continues; the others are one press away.
      const signedIn = await browser.send('GET', '/', { headers: { accept: browserAccept } })
      const others = formsOf(signedIn.text).filter(({ action }) => action === '/sign-in')
      assert.deepEqual(
        others.map(({ fields }) => fields.find(([name]) => name === 'email')?.[1]).toSorted(),
        ['mary', 'nora', 'omar', 'rae', 'rex', 'tom']
          .map(name => `${name}@example.com`)
          .filter(each => each !== email),
      )
      const before = browser.session
      assert.equal((await browser.submit(others[0] ?? assert.fail())).status, 303)
      assert.notEqual(browser.session, before)
      const now = await browser.send('GET', '/', { headers: { accept: browserAccept } })
      const out = await browser.submit(formTo('/sign-out', now.text))
      assert.equal(localPath(out), '/sign-in?signed-out')
    }
  })

  test('the published credential and client are in the section for developers', async () => {
    const { text } = await home(browserAccept)
    for (const value of ['sws_demo_harbour', 'demo-ats', 'demo-ats-secret'])
      assert.ok(text.includes(`<code>${value}</code>`), value)
  })

  test('a missing page leads home', async () => {
    const { status, text } = await call(service(), '/nowhere', { headers: { accept: browserAccept } })
    assert.equal(status, 404)
    assert.match(text, /<a href="\/">Go to the home page<\/a>/)
    assert.match(text, /We couldn’t find that page\./)
    assert.doesNotMatch(text, /role="alert"|openapi\.json to|Nothing is served/)
    const program = await call(service(), '/nowhere')
    assert.equal(program.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.equal(program.json().code, 'no-such-route')
  })

  test('a step of a form that is opened by its address says so to people', async () => {
    const { status, headers, text } = await call(service(), '/sign-in/code', {
      headers: { accept: browserAccept },
    })
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
    assert.match(text, /This step can’t be opened by its address\./)
    assert.doesNotMatch(text, /Allow header|Method not allowed/)
  })

  test('another site’s page is not found either, and the message is written for people', async () => {
    const browser = await Browser.signedIn(doorOf(service()), 'mary@example.com')
    const { status, text } = await browser.get('/console/10000001/applications')
    assert.equal(status, 404)
    assert.match(text, /<h1>Page not found<\/h1>/)
    assert.match(text, /This page doesn’t exist, or you don’t have access to it\./)
    assert.doesNotMatch(text, /role="alert"/)
  })

  test('every page names the person who is signed in, with their links, and is not cached', async () => {
    const header = (text: string) => text.slice(text.indexOf('<header'), text.indexOf('</header>'))
    for (const [email, name, isMember] of [
      ['mary@example.com', 'Mary', false],
      ['rae@example.com', 'Rae', true],
    ] as const) {
      const browser = new Browser(doorOf(service()))
      const pages = ['/', '/jobs', '/jobs/31', '/docs', '/nowhere', '/sign-in', '/account']
      for (const path of pages.filter(each => each !== '/account')) {
        const answer = await browser.send('GET', path, { headers: { accept: browserAccept } })
        assert.doesNotMatch(header(answer.text), /Sign out|Console/, path)
      }
      await browser.signIn(email)
      for (const path of pages.filter(each => each !== '/sign-in')) {
        const answer = await browser.send('GET', path, { headers: { accept: browserAccept } })
        assert.equal(answer.headers.get('cache-control'), 'no-store', path)
        assert.match(header(answer.text), new RegExp(`Sign out <bdi>${name}</bdi>`), path)
        assert.match(header(answer.text), /<a href="\/account"/, path)
        assert.equal(header(answer.text).includes('href="/console"'), isMember, path)
        assert.ok(formsOf(answer.text).some(({ action }) => action === '/sign-out'))
      }
    }
  })

  test('the console shows no tabs of the account', async () => {
    const browser = await Browser.signedIn(doorOf(service()), 'rae@example.com')
    const { text } = await browser.get('/console')
    assert.match(text, /Harbour Coffee Roasters/)
    assert.doesNotMatch(text, /class="side"|\/account\/resumes/)
  })
})

withServicesOn('sqlite', 'outside demo mode', (services, settings) => {
  test('there are the two sides, and no demo person to sign in as', async () => {
    const { app } = await createTestServer(services(), settings())
    const { text } = await doorInto(app).send('GET', '/', { headers: { accept: browserAccept } })
    assert.match(text, /href="\/docs"/)
    assert.deepEqual(
      formsOf(text).map(({ action }) => action),
      ['/jobs'],
    )
    assert.doesNotMatch(text, /demo|sign-up/)
    await app.close()
  })

  test('the page is at the origin of the cookies, the text at both', async () => {
    const authUrl = 'http://127.0.0.1:8080'
    const options = { ...serverOptions(), authUrl: () => authUrl, welcome: () => 'Welcome' }
    const { app } = await createPublicServer(readConfig(settings()), appOf(services()), options)
    const home = (host: string, accept: string) =>
      doorInto(app).send('GET', '/', { headers: { host, accept } })
    const elsewhere = await home('localhost:8080', browserAccept)
    assert.equal(elsewhere.status, 303)
    assert.equal(elsewhere.headers.get('location'), `${authUrl}/`)
    assert.equal((await home('127.0.0.1:8080', browserAccept)).status, 200)
    for (const host of ['localhost:8080', '127.0.0.1:8080'])
      assert.equal((await home(host, '*/*')).text, 'Welcome')
    await app.close()
  })
})
