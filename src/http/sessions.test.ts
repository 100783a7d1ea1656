import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSessions } from './sessions.ts'

const sessions = createSessions({ isSecure: () => false, find: async () => undefined, sessionSeconds: 60 })
const secureSessions = createSessions({
  isSecure: () => true,
  find: async () => undefined,
  sessionSeconds: 60,
})

const requestWith = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest

function reply() {
  const cookies: string[] = []
  const self = {
    header(_name: string, value: string) {
      cookies.push(value)
      return self
    },
  }
  return { cookies, reply: self as unknown as FastifyReply }
}

const key = 'k'.repeat(43)
const expired = { code: 'form-expired' }

test('a form token is good in its own browser, for its own form, unchanged', () => {
  const mine = requestWith(`dossier-form=${key}`)
  const token = sessions.formToken(mine, reply().reply, '/sign-in', 'x')
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

test('a cookie that anybody could guess is no key', () => {
  for (const cookie of ['dossier-form=', 'dossier-session=', 'dossier-form=short']) {
    const { cookies, reply: answer } = reply()
    const token = sessions.formToken(requestWith(cookie), answer, '/sign-in')
    assert.match(cookies[0] ?? '', /^dossier-form=[\w-]{43};/, 'it gets a new one')
    assert.throws(() => sessions.checkFormToken(requestWith(cookie), token, '/sign-in'), expired)
  }
})

test('cookies stay here, out of reach of scripts, and with https under a name that nobody else can set', () => {
  const [plain, secure] = [reply(), reply()]
  sessions.start(plain.reply, 'value')
  secureSessions.start(secure.reply, 'value')
  assert.match(plain.cookies[0] ?? '', /^dossier-session=value; .*HttpOnly.*SameSite=Lax/)
  assert.match(secure.cookies[0] ?? '', /^__Host-dossier-session=value; .*HttpOnly.*Secure.*SameSite=Lax/)
  for (const [cookie] of [plain.cookies, secure.cookies]) assert.match(cookie ?? '', /Path=\/(;|$)/)
})
