import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import type { Services } from '../../../test/harness/services.ts'
import { mailsPerHour } from '../../assembly/platform.ts'
import type { Role } from '../../model/principal.ts'
import { createExpiry } from '../../operator/upkeep/expiry-service.ts'
import { createExpiryStore } from '../../operator/upkeep/expiry-store.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashPassword } from '../../platform/core/password.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { defaultLimits as limits } from '../../settings-limits.ts'
import type { Mail, Mailer } from '../mail/ports.ts'
import { invitationSeconds } from './links-service.ts'
import { createMemberStore } from './member-store.ts'

const clock = movableClock()
const password = 'a few words that fit'
const typed = { firstName: 'Ana', lastName: 'Silva', password }
const browser = { address: '127.0.0.1', browser: undefined, userAgent: undefined, formerSession: undefined }

let people = 0
const newAddress = () => `person-${++people}@example.net`

withServices('who works for an advertiser', { clock }, services => {
  let harbour = 0
  let southern = 0
  before(async () => {
    harbour = (await services().advertisers.add('Harbour')).id
    southern = (await services().advertisers.add('Southern')).id
  })

  const invitations = (mailer?: Mailer) =>
    services().invitations({ mailer, authUrl: () => 'https://auth.example' })

  async function invite(advertiserId: number, email: string, role: Role = 'recruiter'): Promise<string> {
    const result = await invitations().invite(advertiserId, email, role)
    assert.equal(result.outcome, 'link')
    return new URL(result.outcome === 'link' ? result.url : '').hash.slice(1)
  }

  /** A member with an account. */
  async function member(advertiserId: number, role: Role, email = newAddress()) {
    const person = { candidateId: await addAccount(services(), email, clock()), email }
    const joined = await invitations().join(await invite(advertiserId, email, role), person)
    assert.equal(joined.outcome, 'joined')
    return person
  }

  const roleOf = async (advertiserId: number, candidateId: string) =>
    (await services().members.find(advertiserId, candidateId))?.role

  const adminsOf = async (advertiserId: number) =>
    (await services().members.people(advertiserId)).colleagues.filter(({ role }) => role === 'admin').length

  test('a member who joins again under another address keeps the higher role, and so says the record', async () => {
    const { candidateId } = await member(harbour, 'admin')
    await member(harbour, 'admin')
    const email = newAddress()
    for (const role of ['recruiter', 'admin'] as const) {
      await services().members.setRole(harbour, candidateId, role === 'admin' ? 'recruiter' : 'admin')
      await invitations().join(await invite(harbour, email, role), { candidateId, email })
      assert.equal(await roleOf(harbour, candidateId), 'admin')
    }
    const entries = await services()
      .database.reader.selectFrom('audit_entries')
      .select(['before', 'after'])
      .where('action', '=', 'member.join')
      .where('target', '=', `person:${candidateId}`)
      .orderBy('number')
      .execute()
    const noted = entries.flatMap(({ before, after }) => [before, after])
    const roles = noted.map(each => each && JSON.parse(each).role)
    assert.deepEqual(roles, [null, 'admin', 'admin', 'admin', 'recruiter', 'admin'])
  })

  test('a link creates a confirmed account, a member and a session, once', async () => {
    const email = newAddress()
    const token = await invite(harbour, ` ${email.toUpperCase()} `, 'admin')
    assert.deepEqual(await invitations().find(token), {
      owner: { advertiserId: harbour },
      ownerName: 'Harbour',
      role: 'admin',
      email,
      hasAccount: false,
    })
    const joined = await invitations().joinWithNewAccount(token, typed, browser)
    assert.ok(joined.outcome === 'joined' && joined.signedIn !== undefined)
    const owner = await services().accounts.findSession(joined.signedIn.session)
    assert.deepEqual([owner?.email, owner?.firstName, owner?.isMember], [email, 'Ana', true])
    assert.equal(await roleOf(harbour, owner?.candidateId ?? ''), 'admin')
    assert.equal(await invitations().find(token), undefined)
    assert.deepEqual(await invitations().joinWithNewAccount(token, typed, browser), { outcome: 'gone' })
    const { colleagues, invitations: open } = await services().members.people(harbour)
    assert.deepEqual(colleagues.find(each => each.email === email)?.since, clock())
    assert.deepEqual(
      open.filter(each => each.email === email),
      [],
    )
  })

  test('invalid input is rejected without using up the link', async () => {
    const token = await invite(harbour, newAddress())
    const wrong = { firstName: ' ', lastName: 'x'.repeat(201), password: 'short' }
    const result = await invitations().joinWithNewAccount(token, wrong, browser)
    assert.ok(result.outcome === 'invalid')
    assert.deepEqual(
      result.errors.map(({ field }) => field),
      ['firstName', 'lastName', 'password'],
    )
    assert.ok((await invitations().find(token)) !== undefined)
  })

  test('an unconfirmed account is replaced, including its links', async () => {
    const email = newAddress()
    const candidateId = await addAccount(services(), email, null)
    const link = { hash: hashSecret(email), purpose: 'confirm', candidate_id: candidateId, email } as const
    await services()
      .database.writer.insertInto('account_links')
      .values({
        ...link,
        expires_at: clock() + 1e6,
        password_hash: 'theirs',
        first_name: 'S',
        last_name: 'S',
      })
      .execute()
    const token = await invite(harbour, email)
    assert.equal((await invitations().find(token))?.hasAccount, false)
    const joined = await invitations().joinWithNewAccount(token, typed, browser)
    assert.equal(joined.outcome, 'joined')
    assert.equal(await roleOf(harbour, candidateId), 'recruiter')
    const signIn = (attempt: string) =>
      services().accounts.signIn({
        email,
        password: attempt,
        ...browser,
        address: email,
        securityMail: () => [],
      })
    assert.equal((await signIn('password of the stranger')).outcome, 'wrong')
    assert.equal((await signIn(password)).outcome, 'signed-in')
    const links = await services()
      .database.reader.selectFrom('account_links')
      .selectAll()
      .where('candidate_id', '=', candidateId)
      .execute()
    assert.deepEqual(links, [])
  })

  test('a person who has an account keeps it; the link creates none', async () => {
    const email = newAddress()
    const candidateId = await addAccount(services(), email, clock())
    const token = await invite(harbour, email)
    assert.equal((await invitations().find(token))?.hasAccount, true)
    assert.deepEqual(await invitations().joinWithNewAccount(token, typed, browser), {
      outcome: 'has-account',
    })
    // Confirmed after the service has checked: the database detects it, and the invitation remains.
    const account = {
      candidateId: newUuid(),
      passwordHash: 'x',
      firstName: 'A',
      lastName: 'B',
      profile: '{}',
    }
    const store = createMemberStore(services().database)
    assert.equal(await store.joinWithAccount(hashSecret(token), account, clock()), 'taken')
    const joined = await invitations().join(token, { candidateId, email })
    assert.deepEqual(joined, { outcome: 'joined', owner: { advertiserId: harbour }, signedIn: undefined })
  })

  test('an invitation works only for its own address', async () => {
    const token = await invite(harbour, newAddress())
    const email = newAddress()
    const candidateId = await addAccount(services(), email, clock())
    assert.deepEqual(await invitations().join(token, { candidateId, email }), { outcome: 'gone' })
    assert.equal(await roleOf(harbour, candidateId), undefined)
    assert.ok((await invitations().find(token)) !== undefined)
  })

  test('a newer invitation replaces the open one of the same advertiser; members need none', async () => {
    const email = newAddress()
    const first = await invite(harbour, email)
    const elsewhere = await invite(southern, email)
    const second = await invite(harbour, email, 'admin')
    assert.equal(await invitations().find(first), undefined)
    assert.equal((await invitations().find(second))?.role, 'admin')
    assert.deepEqual((await invitations().find(elsewhere))?.owner, { advertiserId: southern })
    const { invitations: open } = await services().members.people(harbour)
    assert.equal(open.filter(each => each.email === email).length, 1)
    assert.equal((await invitations().joinWithNewAccount(second, typed, browser)).outcome, 'joined')
    const again = await invitations().invite(harbour, email, 'recruiter')
    assert.ok(again.outcome === 'invalid' && again.errors[0]?.code === 'member')
  })

  test('a link expires and is deleted by the background work', async () => {
    const email = newAddress()
    const token = await invite(harbour, email)
    clock.advance(invitationSeconds * 1000 - 1)
    assert.ok((await invitations().find(token)) !== undefined)
    clock.advance(1)
    assert.equal(await invitations().find(token), undefined)
    assert.deepEqual(await invitations().joinWithNewAccount(token, typed, browser), { outcome: 'gone' })
    const { invitations: open } = await services().members.people(harbour)
    assert.ok(open.every(each => each.email !== email))
    const rows = () =>
      services().database.reader.selectFrom('invitations').select('id').where('email', '=', email).execute()
    assert.equal((await rows()).length, 1)
    await createExpiry({ store: createExpiryStore(services().database), clock, limits }).run()
    assert.deepEqual(await rows(), [])
  })

  test('a revoked invitation no longer works', async () => {
    const email = newAddress()
    const token = await invite(harbour, email)
    const { invitations: open } = await services().members.people(harbour)
    const id = open.find(each => each.email === email)?.id ?? ''
    assert.equal(await services().members.takeBack(southern, id), false)
    assert.ok((await invitations().find(token)) !== undefined)
    assert.equal(await services().members.takeBack(harbour, id), true)
    assert.equal(await invitations().find(token), undefined)
    assert.equal(await services().members.takeBack(harbour, id), false)
  })

  test("an invitation to a member's new address does not lower their role", async () => {
    const { candidateId } = await member(harbour, 'admin')
    const email = newAddress()
    const token = await invite(harbour, email, 'recruiter')
    assert.equal((await invitations().join(token, { candidateId, email })).outcome, 'joined')
    assert.equal(await roleOf(harbour, candidateId), 'admin')
    const more = await member(harbour, 'recruiter')
    const second = await invite(harbour, newAddress(), 'admin')
    const { email: invited = '' } = (await invitations().find(second)) ?? {}
    await invitations().join(second, { candidateId: more.candidateId, email: invited })
    assert.equal(await roleOf(harbour, more.candidateId), 'admin')
  })

  test('the email contains the link; if it cannot be sent no invitation remains, and emails per address are limited', async () => {
    const email = newAddress()
    const box = usePostBox(services())
    const byMail = invitations(services().mailer())
    const openTo = async () =>
      (await services().members.people(harbour)).invitations.filter(each => each.email === email).length
    assert.deepEqual(await byMail.invite(harbour, email, 'admin'), { outcome: 'sent', email })
    const mail = await box.next()
    assert.equal(mail.to, email)
    const tokenIn = ({ text }: Mail) =>
      /^https:\/\/auth\.example\/invitations#(dli_[\w-]{43})$/m.exec(text)?.[1]
    assert.match(mail.text, /Harbour.* on Dossier as an admin/)
    assert.equal((await invitations().find(tokenIn(mail) ?? ''))?.email, email)
    // The server has no such mailbox.
    box.results.push({ outcome: 'refused', words: '550 no such user' })
    assert.deepEqual(await byMail.invite(harbour, email, 'admin'), { outcome: 'not-sent' })
    assert.equal(await openTo(), 0)
    // It answers "later", or not at all: the first link may have arrived, and both work.
    box.results.push({ outcome: 'retry', words: '451 later', isUnavailable: false })
    await box.next()
    assert.deepEqual(await byMail.invite(harbour, email, 'admin'), { outcome: 'sent', email })
    const first = await box.next()
    // The first attempt may still be being recorded, and a look of the process may be the one that finds it due.
    while (box.mails.length === 0) {
      clock.advance(60_000)
      await services().deliveries.run()
    }
    const second = await box.next()
    assert.equal(second.id, first.id)
    assert.notEqual(tokenIn(second), tokenIn(first))
    for (const each of [first, second]) {
      assert.equal((await invitations().find(tokenIn(each) ?? ''))?.email, email)
    }
    assert.equal(await openTo(), 1)
    // No server at all: nothing is written.
    const checked = { ...services().mailer(), check: () => Promise.reject(new Error('no mail today')) }
    assert.deepEqual(await invitations(checked as Mailer).invite(harbour, email, 'admin'), {
      outcome: 'not-sent',
    })
    for (let count = 4; count < mailsPerHour; count++) await byMail.invite(harbour, email, 'admin')
    const refused = await byMail.invite(southern, email, 'admin')
    assert.ok(refused.outcome === 'invalid' && refused.errors[0]?.code === 'too-many-mails')
  })

  test('rejects invalid addresses and unknown advertisers', async () => {
    for (const [email, code] of [
      [' ', 'empty'],
      ['nobody', 'not-an-email'],
      ['a@b.example, c@d.example', 'not-an-email'],
    ] as const) {
      const result = await invitations().invite(harbour, email, 'admin')
      assert.ok(result.outcome === 'invalid' && result.errors[0]?.code === code, email)
    }
    await assert.rejects(invitations().invite(99_999_999, newAddress(), 'admin'), { code: 'not-found' })
    await assert.rejects(services().members.peopleOf(99_999_999), { code: 'not-found' })
    assert.equal(await invitations().find('x'.repeat(5000)), undefined)
  })

  test('the last admin cannot be removed or demoted, and members of other advertisers cannot be changed', async () => {
    const { id } = await services().advertisers.add('Small')
    const { members } = services()
    const rae = await member(id, 'admin')
    const rex = await member(id, 'recruiter')
    assert.equal(await members.setRole(id, rae.candidateId, 'recruiter'), 'last-admin')
    assert.equal(await members.remove(id, rae.candidateId), 'last-admin')
    assert.equal(await members.removeByEmail(id, rae.email, { mayBeLast: false }), 'last-admin')
    for (const change of [
      members.setRole(southern, rex.candidateId, 'admin'),
      members.remove(southern, rex.candidateId),
      members.remove(id, 'nobody'),
    ])
      assert.equal(await change, 'missing')
    assert.equal(await roleOf(id, rex.candidateId), 'recruiter')
    assert.equal(await members.setRole(id, rex.candidateId, 'admin'), 'done')
    assert.equal(await members.remove(id, rae.candidateId), 'done')
    assert.equal(await roleOf(id, rae.candidateId), undefined)
    assert.equal(await members.removeByEmail(id, rex.email.toUpperCase(), { mayBeLast: true }), 'done')
    assert.deepEqual((await members.people(id)).colleagues, [])
  })

  test('concurrent removals and demotions leave one admin', async () => {
    const { members } = services()
    for (let round = 0; round < 12; round++) {
      const { id } = await services().advertisers.add(`Race ${round}`)
      const admins = await Promise.all([member(id, 'admin'), member(id, 'admin'), member(id, 'admin')])
      const changes = await Promise.all(
        admins.map(({ candidateId }, index) =>
          (index + round) % 2 === 0
            ? members.remove(id, candidateId)
            : members.setRole(id, candidateId, 'recruiter'),
        ),
      )
      assert.deepEqual(changes.toSorted(), ['done', 'done', 'last-admin'])
      assert.equal(await adminsOf(id), 1)
    }
  })

  test('a link used twice at once lets one person in', async () => {
    const token = await invite(harbour, newAddress())
    const results = await Promise.all(
      [1, 2].map(() => invitations().joinWithNewAccount(token, typed, browser)),
    )
    const outcomes = results.map(({ outcome }) => outcome).toSorted()
    assert.ok(outcomes.includes('joined') && outcomes[0] !== outcomes[1], outcomes.join(' '))
  })

  test('the limit of people includes open invitations', async () => {
    const { id } = await services().advertisers.add('Crowded')
    const store = createMemberStore(services().database)
    const invitation = (email: string) => ({
      id: newUuid(),
      hash: hashSecret(newUuid()),
      email,
      role: 'recruiter' as const,
      createdAt: clock(),
      expiresAt: clock() + 1000,
    })
    await member(id, 'admin')
    assert.equal(await store.invite(id, invitation('a@example.net'), 2), 'invited')
    assert.equal(await store.invite(id, invitation('b@example.net'), 2), 'too-many')
    assert.equal(await store.invite(id, invitation('a@example.net'), 2), 'invited')
  })

  test("a person's advertisers are listed by name, with the role", async () => {
    const { candidateId, email } = await member(southern, 'admin')
    const token = await invite(harbour, email)
    await invitations().join(token, { candidateId, email })
    await services().advertisers.setStatus(southern, 'hold')
    const found = await services().members.workplacesOf(candidateId)
    const plain = found.map(workplace => ({ ...workplace }))
    assert.deepEqual(plain, [
      {
        advertiserId: harbour,
        advertiserName: 'Harbour',
        role: 'recruiter',
        status: 'active',
        timeZone: null,
        logoHash: null,
      },
      {
        advertiserId: southern,
        advertiserName: 'Southern',
        role: 'admin',
        status: 'hold',
        timeZone: null,
        logoHash: null,
      },
    ])
    await services().advertisers.setStatus(southern, 'active')
  })
})

async function addAccount(
  { database }: Services,
  email: string,
  confirmedAt: number | null,
): Promise<string> {
  const id = newUuid()
  await database.writer
    .insertInto('candidates')
    .values({
      id,
      email,
      email_confirmed_at: confirmedAt,
      first_name: 'Tom',
      last_name: 'Walker',
      password_hash: await hashPassword('password of the stranger'),
      profile: '{}',
      created_at: 0,
    })
    .execute()
  return id
}
