import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { proved } from '../../../../test/harness/proof.ts'
import { setCaller } from './callers.ts'
import { createSessions } from './sessions.ts'

const sessions = createSessions({ isSecure: () => false, find: async () => undefined, sessionSeconds: 60 })
const secureSessions = createSessions({
  isSecure: () => true,
  find: async () => undefined,
  sessionSeconds: 60,
})

const requestWith = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest

function reply(request = requestWith('')) {
  const cookies: string[] = []
  const self = {
    request,
    header(_name: string, value: string) {
      cookies.push(value)
      return self
    },
  }
  return { cookies, reply: self as unknown as FastifyReply }
}

const key = 'k'.repeat(43)
const expired = { code: 'form-expired' }

test('a form token is valid in its own browser, for its own form, unchanged', () => {
  const mine = requestWith(`dossier-form=${key}`)
  const token = sessions.formToken(reply(mine).reply, '/sign-in', 'x')
  sessions.checkFormToken(mine, token, '/sign-in', 'x')
  for (const [request, ...parts] of [
    [mine, '/sign-in', 'y'],
    [mine, '/sign-in'],
    [mine, '/sign-up', 'x'],
    [requestWith(`dossier-form=${'j'.repeat(43)}`), '/sign-in', 'x'],
    [requestWith(''), '/sign-in', 'x'],
  ] as [FastifyRequest, ...string[]][]) {
    assert.throws(() => sessions.checkFormToken(request, token, ...parts), expired)
  }
  for (const wrong of [undefined, '', `${token}x`, token.slice(1)]) {
    assert.throws(() => sessions.checkFormToken(mine, wrong, '/sign-in', 'x'), expired)
  }
})

test('the token of a held form is valid for its address in its own session, and for no form that must be shown again', () => {
  const at = (url: string, session: string) =>
    ({ headers: { cookie: `dossier-session=${session}; dossier-form=${key}` }, url }) as FastifyRequest
  const [mine, others] = ['m'.repeat(43), 'o'.repeat(43)]
  const token = sessions.heldToken(reply(at('/sign-in', others)).reply, '/account?x=1', mine)
  sessions.checkFormToken(at('/account?x=1', mine), token, '/account', 'whatever')
  assert.throws(() => sessions.checkFormToken(at('/account', mine), token, '/account'), expired)
  assert.throws(() => sessions.checkFormToken(at('/account?x=1', others), token, '/account'), expired)
  assert.throws(() => sessions.checkShownForm(at('/account?x=1', mine), token, '/account'), expired)
})

test('sealed text returns unchanged to the same browser only, even if another person is signed in by then', () => {
  const before = requestWith(`dossier-form=${key}`)
  const sealed = sessions.seal(reply(before).reply, 'words')
  assert.equal(
    sessions.unseal(requestWith(`dossier-form=${key}; dossier-session=${'m'.repeat(43)}`), sealed),
    'words',
  )
  assert.equal(sessions.unseal(requestWith(`dossier-form=${'j'.repeat(43)}`), sealed), undefined)
  assert.equal(sessions.unseal(requestWith(''), sealed), undefined)
  for (const changed of [undefined, '', '.', 'words', `${sealed}x`, sealed.replace('words', 'swords')]) {
    assert.equal(sessions.unseal(before, changed), undefined)
  }
})

test('every form of one page is made with the same new key', () => {
  const { cookies, reply: answer } = reply()
  const token = sessions.formToken(answer, '/sign-in')
  const sealed = sessions.seal(answer, 'words')
  assert.equal(cookies.length, 1)
  const back = requestWith(cookies[0]?.split(';', 1)[0] ?? '')
  sessions.checkFormToken(back, token, '/sign-in')
  assert.equal(sessions.unseal(back, sealed), 'words')
})

test('the header looks up no session without a cookie, and each session once', async () => {
  const mary = {
    sessionId: 's',
    candidateId: 'c',
    email: 'mary@example.com',
    firstName: '',
    isMember: true,
    ...proved,
  }
  let asked = 0
  let found: string | undefined
  const find = async (value: string) => {
    asked++
    found = value
    return mary
  }
  const { viewerOf, checkFormToken, start, end } = createSessions({
    isSecure: () => false,
    find,
    sessionSeconds: 60,
  })
  assert.equal(viewerOf(reply().reply), undefined)
  const request = requestWith(`dossier-session=${key}`)
  const signedIn = (cookie: string) => {
    const authenticated = requestWith(cookie)
    setCaller(authenticated, mary)
    return reply(authenticated).reply
  }
  assert.equal(viewerOf(signedIn('')), undefined)
  const known = await viewerOf(signedIn(`dossier-session=${key}`))
  assert.equal(asked, 0)
  const viewer = await viewerOf(reply(request).reply)
  assert.equal(asked, 1)
  assert.deepEqual(viewer, known)
  assert.deepEqual([viewer?.name, viewer?.isMember], ['mary@example.com', true])
  checkFormToken(request, viewer?.signOutToken, '/sign-out')
  // The page names the person who signs in with this response, not the one who sent the request.
  start(reply(request).reply, 'another')
  await viewerOf(reply(request).reply)
  assert.equal(found, 'another')
  end(reply(request).reply)
  assert.equal(viewerOf(reply(request).reply), undefined)
})

test('without a known session the header is that of a visitor', async () => {
  const find = async () => {
    throw new Error('away')
  }
  const { viewerOf } = createSessions({ isSecure: () => false, find, sessionSeconds: 60 })
  assert.equal(await viewerOf(reply(requestWith(`dossier-session=${key}`)).reply), undefined)
})

test('a guessable cookie is not a session key', () => {
  for (const cookie of ['dossier-form=', 'dossier-session=', 'dossier-form=short']) {
    const { cookies, reply: answer } = reply(requestWith(cookie))
    const token = sessions.formToken(answer, '/sign-in')
    assert.match(cookies[0] ?? '', /^dossier-form=[\w-]{43};/, 'it gets a new one')
    assert.throws(() => sessions.checkFormToken(requestWith(cookie), token, '/sign-in'), expired)
  }
})

test('cookies stay on this site, hidden from scripts, and with https under a name that no other site can set', () => {
  const [plain, secure] = [reply(), reply()]
  sessions.start(plain.reply, 'value')
  secureSessions.start(secure.reply, 'value')
  assert.match(plain.cookies[0] ?? '', /^dossier-session=value; .*HttpOnly.*SameSite=Lax/)
  assert.match(secure.cookies[0] ?? '', /^__Host-dossier-session=value; .*HttpOnly.*Secure.*SameSite=Lax/)
  for (const [cookie] of [plain.cookies, secure.cookies]) assert.match(cookie ?? '', /Path=\/(;|$)/)
})
