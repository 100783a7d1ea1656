import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../test/harness/effort.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { browserName, continueTarget, emailFault, nameFault, passwordFault } from './rules.ts'

test('email addresses are normalised', () => {
  assert.equal(normaliseEmail('  Mary.O\u2019NEIL@Example.COM\n'), 'mary.o\u2019neil@example.com')
})

test('accepts addresses that email can be sent to', () => {
  const good = [
    'a@b.co',
    "o'neil+jobs@mail.example.com",
    'jürgen@müller.example',
    'x_y-z@xn--mller-kva.example',
  ]
  for (const email of good) assert.ok(isEmail(email), email)
  const long = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.com`
  assert.equal(isEmail(long), long.length <= 254)
})

test('rejects addresses that cannot receive email or would be read as two', () => {
  const bad = [
    '',
    'a',
    '@b.co',
    'a@',
    'a@b',
    'a@b..co',
    '.a@b.co',
    'a.@b.co',
    'a b@c.co',
    'a@b.co, c@d.co',
    'a@b.co;c@d.co',
    'Mary <a@b.co>',
    'a@b@c.co',
    'a@b.co\r\nBcc: c@d.co',
    '"a b"@c.co',
    'a@[127.0.0.1]',
    'a@-b.co',
    'a@b.c0-',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b.'.repeat(150)}co`,
  ]
  for (const email of bad) {
    assert.ok(!isEmail(email), email)
    assert.equal(emailFault('email', email).length, 1, email)
  }
})

test('a password is checked by its length in characters and may contain any character', () => {
  const codes = (password: string) => passwordFault('p', password, 'me@example.com').map(({ code }) => code)
  assert.deepEqual(codes('123456789'), ['too-short'])
  assert.deepEqual(codes('one234five'), [])
  for (const common of ['1234567890', 'Password123', 'qwertyuiop'])
    assert.deepEqual(codes(common), ['common'])
  assert.deepEqual(codes('🙂'.repeat(9)), ['too-short'])
  assert.deepEqual(codes('🙂'.repeat(200)), [])
  assert.deepEqual(codes('x'.repeat(201)), ['too-long'])
  assert.deepEqual(codes(' \t\u0000 with odd ones '), [])
  assert.deepEqual(codes('with a lone \ud800 half'), ['unwritable-character'])
  assert.deepEqual(codes('Me@Example.com'), ['is-email'])
  // Nine characters, typed as eighteen code points.
  assert.deepEqual(codes('e\u0301'.repeat(9)), ['too-short'])
})

test('a name is one line of storable characters', () => {
  const codes = (name: string) => nameFault('n', 'first name', name).map(({ code }) => code)
  assert.deepEqual(codes('Zoë'), [])
  assert.deepEqual(codes('  '), ['empty'])
  assert.deepEqual(codes('x'.repeat(201)), ['too-long'])
  assert.deepEqual(codes('a\nb'), ['line-break'])
  assert.deepEqual(codes('a\u0001b'), ['unwritable-character'])
})

test('never continues to another site, whatever target a link names', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\',
    '//',
    'account',
    '.',
    '..',
    '@',
    ':',
    '?',
    '#',
    '%2f',
    '%5c',
    '\t',
    '\n',
    ' ',
    'evil.example',
    'https:',
    '/api/iam/oauth2/authorize',
    '/account',
    ';',
    '\u2028',
  )
  const texts = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(pieces, { maxLength: 8 }).map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(texts, text => {
      const target = continueTarget(text)
      const { origin, pathname } = new URL(target, 'https://here.example')
      assert.equal(origin, 'https://here.example')
      assert.match(
        pathname,
        /^(\/|\/(account|console|operator|agent|docs)(\/[\w/.-]*)?|\/about\/(data|reports)|\/jobs(\/\d+(\/(apply|report))?)?|\/companies\/\d+\/privacy\/\d+|\/api\/iam\/oauth2\/authorize)$/,
      )
    }),
    { numRuns: times(100, 2_000) },
  )
})

test('continues to account and console pages, application forms and authorization requests', () => {
  for (const target of [
    '/',
    '/account',
    '/account/security',
    '/account/security?done=password',
    '/jobs/1001/apply',
    '/jobs/1001',
    '/jobs?q=head+barista&before=12',
    '/docs/reference/listApplications?lang=php',
    '/jobs/1001/report',
    '/about/data',
    '/about/reports',
    '/companies/10000001/privacy/2',
    '/console',
    '/console/10000001/applications?q=mary&after=12',
    '/console/10000001/applications.csv?q=mary',
    '/api/iam/oauth2/authorize?client_id=a&state=%2F%2Fx%5C&redirect_uri=https%3A%2F%2Fa.example%2F',
  ])
    assert.equal(continueTarget(target), target)
  for (const other of [
    undefined,
    '/accounts',
    '/account/../demo',
    '/ACCOUNT',
    '/api/iam/oauth2/authorize',
    '/api/iam/oauth2/token?x',
    '/account#x',
    '/consoles',
    '/invitations/x',
    '//console',
    '/..',
    '/account/..',
    '/jobs/x',
    '/jobs/1001/',
    '/jobs/1001/edit',
    '/jobs/../../evil.example',
    '/jobs\\evil.example',
    '/jobs/1001#//evil.example',
    '//evil.example/jobs/1001',
    '/\t/evil.example/jobs/1001',
    '/\\evil.example/jobs/1001',
    'https://evil.example/jobs/1001',
    '/about/data/x',
    '/docs@evil.example',
    '/jobs//apply',
    '/jobs/1001/apply/../../../demo',
    `/account?${'x'.repeat(16_384)}`,
  ])
    assert.equal(continueTarget(other), '/account', other)
})

test('names a browser well enough to recognise it, and no further', () => {
  const names: [string | undefined, string][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on Mac',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['curl/8.0', 'Unknown browser'],
    ['<script>alert(1)</script>', 'Unknown browser'],
    [undefined, 'Unknown browser'],
  ]
  for (const [userAgent, name] of names) assert.equal(browserName(userAgent), name)
})

test('one mailbox has one spelling, whatever the case of its domain', () => {
  const expected: [typed: string, spelled: string][] = [
    [' Mary@Example.COM ', 'mary@example.com'],
    ['plain@\uFF45xample.com', 'plain@example.com'],
    ['plain@ex\u00E4mple.com', 'plain@xn--exmple-cua.com'],
    ['nobody', 'nobody'],
    ['a@b@c', 'a@b@c'],
    ['a@b/c', 'a@b/c'],
    ['a@b:80', 'a@b:80'],
  ]
  for (const [typed, spelled] of expected) assert.equal(normaliseEmail(typed), spelled)
})

test('a name contains at least one visible character', () => {
  for (const name of ['\u200B', ' \u2060 ', '\u3164']) {
    assert.equal(nameFault('firstName', 'first name', name)[0]?.code, 'empty')
  }
  for (const name of ['\u4E00', 'O\u2019Neill', '\u{1F469}\u200D\u{1F467}']) {
    assert.deepEqual(nameFault('firstName', 'first name', name), [])
  }
})
