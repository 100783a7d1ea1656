import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createReplay } from '../../src/operator/restored/replay-store.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { addTotp } from '../harness/account.ts'
import { formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { joinBoard } from '../harness/memberships.ts'
import { authorizePath, Browser, isConsentPage, localPath, mary, tom } from '../harness/oauth.ts'
import {
  type Answering,
  type OpenIdProvider,
  providerClient,
  startOpenIdProvider,
} from '../harness/openid-provider.ts'
import { inDemoWorld } from '../oauth/world.ts'

const provider = await startOpenIdProvider()
const other = await startOpenIdProvider()
after(() => Promise.all([provider.close(), other.close()]))

const start = '/sign-in/provider/board'
const headers = { 'sec-fetch-site': 'same-origin' }
const env = {
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: providerClient.id,
  OIDC_CLIENT_SECRET: providerClient.secret,
  OIDC_NAME: 'Example Login',
  OIDC_FACTORS: 'mfa, urn:two',
  OPERATOR_OIDC_ISSUER: other.issuer,
  OPERATOR_OIDC_CLIENT_ID: providerClient.id,
  OPERATOR_OIDC_CLIENT_SECRET: providerClient.secret,
  OPERATOR_OIDC_NAME: 'Staff Login',
}

inDemoWorld('signing in with an OpenID provider', { env }, world => {
  const browser = () => new Browser(world().door)

  /** Sets out from the sign-in page; where the browser is led. */
  async function setOut(visitor: Browser, page = '/sign-in', path = start): Promise<string> {
    const answer = await visitor.submit(await visitor.form(path, page))
    assert.equal(answer.status, 303, answer.text)
    return answer.headers.get('location') ?? ''
  }
  async function signIn(
    visitor: Browser,
    answering: Answering,
    from: OpenIdProvider = provider,
    page?: string,
  ) {
    const path = from === provider ? start : '/sign-in/provider/operators'
    return visitor.get(from.authorize(await setOut(visitor, page, path), answering))
  }
  const verified = (sub: string, email: string) => ({ sub, email, email_verified: true, given_name: 'Ann' })
  async function newPerson(sub: string, email: string) {
    const visitor = browser()
    const asked = await visitor.get(localPath(await signIn(visitor, { claims: verified(sub, email) })))
    const made = await visitor.submit(formTo('/sign-in/provider/new', asked.text))
    assert.equal(made.status, 303, made.text)
    return visitor
  }
  /** Links the account of a demo person, who signs in with the password first. */
  async function linked(email: string, sub: string): Promise<Browser> {
    const visitor = browser()
    await visitor.signIn(email)
    const page = await visitor.get('/account/security/provider/board')
    const left = await visitor.submit(formTo('/account/security/provider/board', page.text), { headers })
    const back = await visitor.get(
      provider.authorize(left.headers.get('location') ?? '', { claims: { sub } }),
    )
    assert.equal(back.headers.get('location'), '/account/security?done=linked', words(back))
    return visitor
  }
  const ownerOf = async (visitor: Browser) => world().services.accounts.findSession(visitor.session ?? 'none')
  const words = ({ text }: Answer) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

  test('makes an account without a password for a new person, once, by a verified address', async () => {
    const visitor = await newPerson('ann', 'ann@example.org')
    const owner = await ownerOf(visitor)
    assert.equal(owner?.email, 'ann@example.org')
    assert.deepEqual(owner.factors, ['provider'])
    const security = await visitor.get('/account/security')
    assert.match(words(security), /has no password/)
    assert.match(words(security), /With Example Login/)
    assert.doesNotMatch(words(security), /Current password/)
    const again = browser()
    const back = await signIn(again, { claims: { sub: 'ann' } })
    assert.equal(back.headers.get('location'), '/account')
    assert.equal((await ownerOf(again))?.candidateId, owner.candidateId)
    // No password opens it, not even an empty one.
    const page = await again.get('/sign-in')
    assert.equal(page.status, 303)
    const stranger = browser()
    for (const password of ['', 'has no password.', 'demo-password'])
      assert.equal(
        (await stranger.submitSignIn(await stranger.get('/sign-in'), 'ann@example.org', password)).status,
        401,
      )
  })

  test('never takes over an account by its address: not a password account, not another linked one', async () => {
    for (const email of [mary, 'ann@example.org', 'omar@example.com', 'rae@example.com']) {
      const visitor = browser()
      const asked = await visitor.get(
        localPath(await signIn(visitor, { claims: verified(`thief-${email}`, email) })),
      )
      const refused = await visitor.submit(formTo('/sign-in/provider/new', asked.text))
      assert.equal(refused.status, 409, email)
      assert.equal(await ownerOf(visitor), undefined)
    }
    // A linked person whose address changes to another's stays the same person.
    const visitor = browser()
    await signIn(visitor, { claims: verified('ann', mary) })
    assert.equal((await ownerOf(visitor))?.email, 'ann@example.org')
  })

  test('believes no address that is not verified', async () => {
    for (const email_verified of [undefined, false, 'true', 1]) {
      const visitor = browser()
      const claims = { ...verified(`un-${email_verified}`, 'free@example.org'), email_verified }
      const page = await visitor.get(localPath(await signIn(visitor, { claims })))
      const form = formTo('/sign-in/provider/new', page.text)
      assert.ok(
        form.fields.some(([name]) => name === 'email'),
        'it is asked for, and confirmed by email',
      )
      assert.equal(await ownerOf(visitor), undefined)
    }
  })

  test('links an account after it has proved itself, one identity each', async () => {
    const tomsBrowser = await linked(tom, 'tom-there')
    const security = await tomsBrowser.get('/account/security')
    assert.match(words(security), /Example Login Linked/)
    const again = browser()
    await signIn(again, { claims: { sub: 'tom-there' } })
    assert.equal((await ownerOf(again))?.email, tom)
    // Another person cannot have the identity, and the account no second one.
    const marys = browser()
    await marys.signIn(mary)
    const go = async (visitor: Browser, sub: string) => {
      const page = await visitor.get('/account/security/provider/board')
      const left = await visitor.submit(formTo('/account/security/provider/board', page.text), { headers })
      return visitor.get(provider.authorize(left.headers.get('location') ?? '', { claims: { sub } }))
    }
    assert.match((await go(marys, 'tom-there')).headers.get('location') ?? '', /done=taken/)
    assert.match((await go(tomsBrowser, 'tom-2')).headers.get('location') ?? '', /done=has-one/)
    // Removed, it opens nothing, and the sessions that it opened have ended.
    const removal = formsOf((await tomsBrowser.get('/account/security')).text).find(({ fields }) =>
      fields.some(([, value]) => value === 'unlink-provider'),
    )
    assert.ok(removal)
    assert.match(
      (await tomsBrowser.submit(removal, { headers })).headers.get('location') ?? '',
      /done=unlinked/,
    )
    assert.equal(await ownerOf(again), undefined)
    assert.match(
      (await signIn(browser(), { claims: { sub: 'tom-there' } })).headers.get('location') ?? '',
      /new\?who=/,
    )
  })

  test('a removed link does not come back with a backup', async () => {
    const { database, identities, clock } = world().services
    const visitor = await linked('rex@example.com', 'rex-there')
    const { candidateId = '' } = (await ownerOf(visitor)) ?? {}
    const [row] = await identities.list(candidateId)
    assert.ok(row)
    const replay = createReplay(database, clock())
    const { issuer, linkedAt } = row
    assert.equal(await replay(['identity', candidateId, issuer, linkedAt - 1]), false, 'linked again since')
    assert.equal(await replay(['identity', candidateId, issuer, linkedAt]), true)
    assert.deepEqual(await identities.list(candidateId), [])
  })

  test('is not removed if nothing else is left', async () => {
    const visitor = browser()
    await signIn(visitor, { claims: { sub: 'ann' } })
    const removal = formsOf((await visitor.get('/account/security')).text).find(({ fields }) =>
      fields.some(([, value]) => value === 'unlink-provider'),
    )
    assert.ok(removal)
    assert.match((await visitor.submit(removal, { headers })).headers.get('location') ?? '', /done=last-way/)
  })

  test('a newcomer with an account signs in to it and links it', async () => {
    const visitor = browser()
    const asked = await visitor.get(
      localPath(await signIn(visitor, { claims: verified('mary-there', mary) })),
    )
    const [, towards = ''] = /href="(\/sign-in\?continue=[^"]*)"/.exec(asked.text) ?? []
    const signedIn = await visitor.submitSignIn(await visitor.get(towards))
    const page = await visitor.get(localPath(signedIn))
    const done = await visitor.submit(formTo('/account/security/link', page.text), { headers })
    assert.equal(done.headers.get('location'), '/account/security?done=linked', done.text)
    const again = browser()
    await signIn(again, { claims: { sub: 'mary-there' } })
    assert.equal((await ownerOf(again))?.email, mary)
  })

  test('carries the target and what was typed', async () => {
    const target = browser()
    const page = await target.get(authorizePath())
    const left = await target.submit(formTo(start, page.text))
    const back = await target.get(
      provider.authorize(left.headers.get('location') ?? '', { claims: { sub: 'mary-there' } }),
    )
    assert.equal(back.headers.get('location'), authorizePath())
    assert.ok(isConsentPage(await target.get(localPath(back))))

    const typed = browser()
    await typed.signIn()
    const form = await typed.form('/account/profile/about')
    typed.cookies.delete('dossier-session')
    const asked = await typed.submit(form, { fields: { firstName: 'Typed Name' }, headers })
    assert.equal(asked.status, 401)
    const gone = await typed.submit(formTo(start, asked.text))
    const kept = await typed.get(
      provider.authorize(gone.headers.get('location') ?? '', { claims: { sub: 'mary-there' } }),
    )
    assert.match(kept.text, /Typed Name/)
    assert.equal((await typed.submit(formTo('/account/profile/about', kept.text), { headers })).status, 303)
  })

  test('refuses what a hostile provider or a thief brings', async () => {
    const claims = { sub: 'mary-there' }
    const wrong: Record<string, Answering> = {
      'another issuer in the answer': { claims, back: { iss: other.issuer } },
      'no issuer in the answer': { claims, back: { iss: undefined } },
      'another issuer in the token': { claims: { ...claims, iss: other.issuer } },
      'a token for another client': { claims: { ...claims, aud: 'another' } },
      'a token for several, authorised to another': {
        claims: { ...claims, aud: [providerClient.id, 'another'], azp: 'another' },
      },
      'a replayed nonce': { claims: { ...claims, nonce: 'of another sign-in' } },
      'no nonce': { claims: { ...claims, nonce: undefined } },
      'an expired token': { claims: { ...claims, iat: 1_700_000_000, exp: 1_700_000_300 } },
      'a token without an end': { claims: { ...claims, exp: undefined } },
      'no subject': { claims: {} },
      'an empty subject': { claims: { sub: '' } },
      'a subject that is too long': { claims: { sub: 'x'.repeat(300) } },
      'an unsigned token': { claims, alg: 'none' },
      'the public key as a secret': { claims, alg: 'HS256' },
      'another key': { claims, isForged: true },
      'an error': { claims, back: { code: undefined, error: 'server_error' } },
    }
    for (const [what, answering] of Object.entries(wrong)) {
      const visitor = browser()
      const answer = await signIn(visitor, answering)
      assert.equal(answer.status, 401, `${what}: ${answer.status} ${answer.headers.get('location')}`)
      assert.equal(await ownerOf(visitor), undefined, what)
      assert.match(words(answer), /couldn’t accept the answer of Example Login/)
    }
    const declined = await signIn(browser(), { back: { code: undefined, error: 'access_denied' } })
    assert.equal(declined.status, 200)
    assert.match(words(declined), /You didn’t sign in/)
  })

  test('binds the way back to the browser, the provider and one use', async () => {
    const claims = { sub: 'mary-there' }
    const [one, two] = [browser(), browser()]
    await two.get('/sign-in')
    const stolen = provider.authorize(await setOut(one), { claims })
    assert.equal((await two.get(stolen)).status, 403)
    assert.equal(await ownerOf(two), undefined)
    assert.equal((await one.get(stolen)).status, 403, 'it was used up')
    const used = provider.authorize(await setOut(one), { claims })
    assert.equal((await one.get(used)).status, 303)
    const replay = browser()
    for (const [name, value] of one.cookies) if (name !== 'dossier-session') replay.cookies.set(name, value)
    assert.equal((await replay.get(used)).status, 403)
    // The answer of one provider at the address of the other.
    const mixed = browser()
    const way = provider.authorize(await setOut(mixed), { claims }).replace('/board/', '/operators/')
    assert.equal((await mixed.get(way)).status, 403)
    // A code that another sign-in was given: its verifier is another's.
    const [first, second] = [browser(), browser()]
    const [a, b] = [
      provider.authorize(await setOut(first), { claims }),
      provider.authorize(await setOut(second), { claims }),
    ]
    const swapped = new URL(a, 'http://x')
    swapped.searchParams.set('code', new URL(b, 'http://x').searchParams.get('code') ?? '')
    assert.equal((await first.get(swapped.pathname + swapped.search)).status, 401)
    for (const state of ['', 'x', 'y'.repeat(5000)])
      assert.equal((await browser().get(`${start}/back?code=1&state=${state}`)).status, 403)
  })

  test('takes keys that were changed in the middle, and says so when the provider is away', async () => {
    const visitor = browser()
    const way = provider.authorize(await setOut(visitor), { claims: { sub: 'mary-there' } })
    provider.rotate()
    assert.equal((await visitor.get(way)).status, 303)
    const late = browser()
    const waiting = provider.authorize(await setOut(late), { claims: { sub: 'mary-there' } })
    provider.setAway(true)
    const away = await late.get(waiting)
    assert.equal(away.status, 503)
    assert.match(words(away), /can’t reach Example Login/)
    provider.setAway(false)
    other.setAway(true)
    const operators = browser()
    const page = await operators.get('/sign-in?continue=/operator')
    const left = await operators.submit(formTo('/sign-in/provider/operators', page.text))
    assert.equal(left.status, 503, 'it was never reached')
    other.setAway(false)
  })

  test('confirms that it is the person, by the time at which they signed in there', async () => {
    const visitor = browser()
    await signIn(visitor, { claims: { sub: 'ann' } })
    world().clock.advance(16 * 60_000)
    const held = await visitor.submit(await visitor.form('/account/data/download', '/account/data'), {
      headers,
    })
    assert.equal(held.status, 401)
    assert.doesNotMatch(held.text, /proof_password/, 'there is no password')
    const confirm = async (claims: object) => {
      const path = '/account/confirm/provider/board'
      const left = await visitor.submit(formTo(path, held.text))
      const location = left.headers.get('location') ?? ''
      assert.equal(new URL(location).searchParams.get('max_age'), '900')
      return visitor.get(provider.authorize(location, { claims: { sub: 'ann', ...claims } }))
    }
    const now = Math.floor(Date.now() / 1000)
    for (const claims of [{ auth_time: now - 3600 }, { auth_time: undefined }, { sub: 'mary-there' }])
      assert.match(words(await confirm(claims)), /couldn’t confirm with Example Login/)
    const kept = await confirm({})
    assert.match(words(kept), /Please send this again/)
    const done = await visitor.submit(formTo('/account/data/download', kept.text), { headers })
    assert.equal(done.headers.get('content-type'), 'application/zip')
  })

  test('deletes an account without a password, after a fresh proof', async () => {
    const visitor = await newPerson('gone', 'gone@example.org')
    const page = await visitor.get('/account/data/delete')
    assert.doesNotMatch(page.text, /type="password"/)
    const form = formTo('/account/data/delete', page.text)
    world().clock.advance(16 * 60_000)
    const asked = await visitor.submit(form, { ticked: ['yes'], headers })
    assert.match(asked.headers.get('location') ?? '', /^\/account\/confirm/)
    const again = browser()
    await signIn(again, { claims: { sub: 'gone' } })
    const fresh = await again.form('/account/data/delete')
    const done = await again.submit(fresh, { ticked: ['yes'], headers })
    assert.equal(done.headers.get('location'), '/goodbye')
    const left = await world().services.database.reader.selectFrom('identities').select('subject').execute()
    assert.ok(!left.some(({ subject }) => subject === 'gone'))
  })

  test('ends the sessions that a message of the provider names, once', async () => {
    const post = (token: string, key = 'board') =>
      browser().post(`/sign-in/provider/${key}/logout`, [['logout_token', token]])
    const opened = async (sid: string) => {
      const visitor = browser()
      await signIn(visitor, { claims: { sub: 'ann', sid } })
      return visitor
    }
    const [one, two, own] = [await opened('s1'), await opened('s2'), browser()]
    await own.signIn('rex@example.com')
    const past = Math.floor(Date.now() / 1000) - 3600
    const wrong: [string, string][] = [
      ['of another issuer', provider.logoutToken({ sub: 'ann', iss: other.issuer })],
      ['for another client', provider.logoutToken({ sub: 'ann', aud: 'another' })],
      ['unsigned', provider.logoutToken({ sub: 'ann' }, { alg: 'none' })],
      ['by the public key', provider.logoutToken({ sub: 'ann' }, { alg: 'HS256' })],
      ['forged', provider.logoutToken({ sub: 'ann' }, { isForged: true })],
      ['old', provider.logoutToken({ sub: 'ann', iat: past })],
      ['expired', provider.logoutToken({ sub: 'ann', iat: past, exp: past + 60 })],
      ['without a time', provider.logoutToken({ sub: 'ann', iat: undefined })],
      ['without an ID', provider.logoutToken({ sub: 'ann', jti: undefined })],
      ['about nothing', provider.logoutToken({ sub: 'ann', events: undefined })],
      ['about something else', provider.logoutToken({ sub: 'ann', events: { other: {} } })],
      ['with a nonce', provider.logoutToken({ sub: 'ann', nonce: 'n' })],
      ['of another kind', provider.logoutToken({ sub: 'ann' }, {}, 'at+jwt')],
      ['about no one', provider.logoutToken({})],
      ['not a token', 'x'],
      ['nothing', ''],
    ]
    for (const [what, token] of wrong) assert.equal((await post(token)).status, 400, what)
    assert.equal((await post(other.logoutToken({ sub: 'ann' }), 'operators')).status, 200, 'its own people')
    assert.ok((await ownerOf(one)) && (await ownerOf(two)))
    const token = provider.logoutToken({ sub: 'ann', sid: 's1' })
    assert.equal((await post(token)).status, 200)
    assert.equal(await ownerOf(one), undefined)
    assert.ok(await ownerOf(two))
    assert.equal((await post(token)).status, 400, 'used before')
    const third = await opened('s3')
    assert.equal((await post(provider.logoutToken({ sub: 'ann' }))).status, 200)
    assert.deepEqual([await ownerOf(two), await ownerOf(third)], [undefined, undefined])
    assert.ok(await ownerOf(own))
  })

  /** The same account, which now runs the board. */
  const makeOperator = (candidateId: string) => joinBoard(world().services.database, candidateId)

  test('confirms nothing by the board’s provider for a person who runs the board by now', async () => {
    const visitor = await newPerson('soon', 'soon@example.org')
    const owner = await ownerOf(visitor)
    world().clock.advance(16 * 60_000)
    const page = await visitor.get('/account/confirm?continue=/account')
    await makeOperator(owner?.candidateId ?? '')
    const left = await visitor.submit(formTo('/account/confirm/provider/board', page.text))
    const way = provider.authorize(left.headers.get('location') ?? '', { claims: { sub: 'soon' } })
    assert.equal((await visitor.get(way)).headers.get('location'), '/account/security?done=not-proved')
  })

  test('tells an account with neither a password nor a link how to confirm', async () => {
    const visitor = await newPerson('bare', 'bare@example.org')
    await world().services.database.writer.deleteFrom('identities').where('subject', '=', 'bare').execute()
    world().clock.advance(16 * 60_000)
    const page = await visitor.get('/account/confirm?continue=/account')
    assert.match(words(page), /nothing to confirm with yet/)
    assert.match(page.text, /href="\/forgotten"/)
  })

  test('asks the provider for keys once in a while, however many messages strangers send', async () => {
    const asked = () => provider.requests.filter(path => path === 'keys').length
    const post = (token: string) => browser().post(`${start}/logout`, [['logout_token', token]])
    await post(provider.logoutToken({ sub: 'nobody' }))
    const before = asked()
    for (let kid = 0; kid < 5; kid++) {
      const [, ...rest] = provider.logoutToken({ sub: 'nobody' }).split('.')
      const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `unknown ${kid}` })).toString('base64url')
      assert.equal((await post([head, ...rest].join('.'))).status, 400)
    }
    assert.ok(asked() <= before + 1, `${asked() - before} requests`)
  })

  test('refuses names that a database cannot keep apart', async () => {
    for (const sub of ['a\0b', 'a\ud800', 'a\nb']) {
      const visitor = browser()
      assert.equal((await signIn(visitor, { claims: { sub } })).status, 401, JSON.stringify(sub))
    }
    const visitor = browser()
    await signIn(visitor, { claims: { sub: 'ann', sid: 'a\0b' } })
    assert.equal((await ownerOf(visitor))?.email, 'ann@example.org', 'the session has no name there')
  })

  test('asks for an address if the verified one cannot be used, or is another source’s', async () => {
    const cases: Record<string, Answering> = {
      none: { claims: { sub: 'none', email_verified: true } },
      odd: { claims: verified('odd', 'not an address') },
      mixed: {
        claims: { sub: 'mixed', email_verified: true },
        userinfo: { sub: 'mixed', email: 'mixed@example.org' },
      },
    }
    for (const [what, answering] of Object.entries(cases)) {
      const visitor = browser()
      const page = await visitor.get(localPath(await signIn(visitor, answering)))
      const { fields } = formTo('/sign-in/provider/new', page.text)
      assert.ok(
        fields.some(([name]) => name === 'email'),
        what,
      )
    }
  })

  test('keeps what was typed when the provider is away, or the person cancels there', async () => {
    const typed = browser()
    await typed.signIn()
    const form = await typed.form('/account/profile/about')
    typed.cookies.delete('dossier-session')
    const asked = await typed.submit(form, { fields: { firstName: 'Typed Name' }, headers })
    const gone = await typed.submit(formTo(start, asked.text))
    const way = provider.authorize(gone.headers.get('location') ?? '', { claims: { sub: 'mary-there' } })
    provider.setAway(true)
    const away = await typed.get(way)
    provider.setAway(false)
    assert.equal(away.status, 503)
    const again = await typed.submit(formTo(start, away.text))
    const kept = await typed.get(
      provider.authorize(again.headers.get('location') ?? '', { claims: { sub: 'mary-there' } }),
    )
    assert.match(kept.text, /Typed Name/)

    world().clock.advance(16 * 60_000)
    const page = await typed.get('/account/data')
    const held = await typed.submit(formTo('/account/data/download', page.text), { headers })
    const left = await typed.submit(formTo('/account/confirm/provider/board', held.text))
    const back = { code: undefined, error: 'access_denied' }
    const declined = await typed.get(provider.authorize(left.headers.get('location') ?? '', { back }))
    assert.match(words(declined), /couldn’t confirm with Example Login/)
    assert.ok(formTo('/account/data/download', declined.text))
  })

  test('signs the same new person in, however often the button is pressed at once', async () => {
    const visitor = browser()
    const asked = await visitor.get(
      localPath(await signIn(visitor, { claims: verified('twice', 'twice@example.org') })),
    )
    const form = formTo('/sign-in/provider/new', asked.text)
    const answers = await Promise.all([visitor.submit(form), visitor.submit(form)])
    for (const answer of answers)
      assert.ok(answer.status === 303 || /open for too long/.test(answer.text), words(answer))
    assert.equal((await ownerOf(visitor))?.email, 'twice@example.org')
  })

  test('opens accounts of operators by their own provider alone, and makes none', async () => {
    const { services } = world()
    const page = '/sign-in?continue=/operator'
    const stranger = browser()
    const unknown = await stranger.get(
      localPath(await signIn(stranger, { claims: verified('boss', 'boss@example.org') }, other, page)),
    )
    assert.equal(unknown.status, 403)
    assert.match(words(unknown), /none is linked to yours/)
    const omar = (await services.operators.list()).find(({ email }) => email === 'omar@example.com')
    assert.ok(omar)
    const link = (key: 'board' | 'operators', id: string) =>
      withAuditContext({ clock: world().clock, actor: { kind: 'command', id: 'root', proof: 'shell' } }, () =>
        services.providers.linkOperator(id, key, 'omar-there', []),
      )
    assert.equal(await link('operators', omar.candidateId), 'linked')
    const opened = browser()
    const back = await signIn(opened, { claims: { sub: 'omar-there' } }, other, page)
    assert.equal(back.headers.get('location'), '/operator', words(back))
    assert.match((await opened.get('/operator')).headers.get('location') ?? '', /two-step\?needed/)
    // Not by the board's, even if it is linked there.
    assert.equal(await link('board', omar.candidateId), 'linked')
    const refused = browser()
    assert.equal((await signIn(refused, { claims: { sub: 'omar-there' } })).status, 403)
    // A candidate who is linked to the operators' provider gets nowhere with it.
    await services.database.writer.deleteFrom('identities').where('subject', '=', 'omar-there').execute()
    const ann = await services.identities.find({ issuer: provider.issuer, subject: 'ann' })
    assert.equal(await link('operators', ann ?? ''), 'linked')
    const candidate = browser()
    assert.equal((await signIn(candidate, { claims: { sub: 'omar-there' } }, other, page)).status, 403)
    assert.equal(await ownerOf(candidate), undefined)
  })

  test('counts the provider’s second factor if it is trusted, and asks for ours otherwise', async () => {
    const { services } = world()
    const of = async (claims: object) => {
      const visitor = browser()
      await signIn(visitor, { claims: { sub: 'mary-there', ...claims } })
      return (await ownerOf(visitor))?.factors
    }
    assert.deepEqual(await of({ amr: ['pwd'] }), ['provider'])
    assert.deepEqual(await of({ amr: ['pwd', 'mfa'] }), ['provider-mfa'])
    assert.deepEqual(await of({ acr: 'urn:two' }), ['provider-mfa'])
    const visitor = browser()
    await signIn(visitor, { claims: { sub: 'mary-there' } })
    const owner = await ownerOf(visitor)
    assert.ok(owner)
    const { secret } = await services.factors.beginTotp(owner)
    const { codeByOathtool } = await import('../harness/oathtool.ts')
    const added = await services.factors.addTotp(
      owner,
      { secret, code: codeByOathtool(secret, world().clock()) },
      [],
    )
    assert.equal(added.outcome, 'added')
    const second = browser()
    const asked = await signIn(second, { claims: { sub: 'mary-there' } })
    assert.equal(asked.status, 200)
    assert.equal(await ownerOf(second), undefined)
    assert.match(words(asked), /We know now who you are/)
    world().clock.advance(30_000)
    const code = codeByOathtool(secret, world().clock())
    const done = await second.submit(formTo('/sign-in/code', asked.text), { fields: { code } })
    assert.equal(done.status, 303, done.text)
    assert.deepEqual((await ownerOf(second))?.factors, ['provider', 'totp'])
    assert.deepEqual(await of({ amr: ['mfa'] }), ['provider-mfa'])
  })
})

inDemoWorld(
  'an OpenID provider as the only way',
  { env: { OIDC_ISSUER: provider.issuer, OIDC_ONLY: 'true', OIDC_NAME: 'Example Login' } },
  world => {
    test('closes sign-up, and takes no other way into a linked account of a candidate', async () => {
      const { services, door } = world()
      const browser = () => new Browser(door)
      for (const path of ['/sign-up', '/confirm/again']) {
        const answer = await browser().get(path)
        assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/sign-in'], path)
      }
      const page = await browser().get('/sign-in')
      assert.match(page.text, /<details><summary>Sign in another way/)
      // Accounts that are not linked keep their way in, to link first.
      for (const email of [mary, 'rae@example.com']) {
        const visitor = browser()
        await visitor.signIn(email)
        const owner = await services.accounts.findSession(visitor.session ?? '')
        assert.ok(owner)
        const identity = { issuer: provider.issuer, subject: `only ${email}` }
        assert.equal(await services.providers.link(owner.candidateId, identity, []), 'linked')
      }
      const marys = browser()
      const refused = await marys.submitSignIn(await marys.get('/sign-in'), mary)
      assert.equal(refused.status, 401)
      assert.match(refused.text, /or this account signs in with Example Login/)
      const wrong = browser()
      const other = await wrong.submitSignIn(await wrong.get('/sign-in'), tom, 'not the password')
      assert.equal(
        /<div class="problem".*?<\/div>/.exec(other.text)?.[0],
        /<div class="problem".*?<\/div>/.exec(refused.text)?.[0],
      )
      await browser().signIn('rae@example.com')
    })

    test('says what is true of a linked account: a new address is set, and no useless code is asked for', async () => {
      const { accounts, accountLinks, accountStore, database, factors, mailer } = world().services
      const owner = await accountStore.findByEmail(mary)
      assert.ok(owner)
      const { candidateId } = owner
      const caller = {
        address: '192.0.2.1',
        browser: undefined,
        userAgent: undefined,
        formerSession: undefined,
      }
      const email = 'mary-new@example.org'
      const link = { hash: hashSecret('a link'), purpose: 'change-email', email } as const
      await database.writer
        .insertInto('account_links')
        .values({ ...link, candidate_id: candidateId, expires_at: world().clock() + 60_000 })
        .execute()
      const password = 'demo-password'
      const changed = await accountLinks(mailer()).changeEmail('a link', { ...caller, password })
      assert.equal(changed.outcome, 'second-step', 'the link did its work')
      assert.equal((await accountStore.find(candidateId))?.email, email)
      await addTotp(database, candidateId)
      assert.equal(await factors.hasSecondFactor(candidateId), true)
      const attempt = { ...caller, securityMail: () => [] }
      assert.equal((await accounts.signIn({ ...attempt, email, password })).outcome, 'wrong')
      assert.equal(await accounts.signInByCode(attempt, email), undefined)
    })
  },
)
