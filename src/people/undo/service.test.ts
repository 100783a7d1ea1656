import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import { codeByOathtool } from '../../../test/harness/oathtool.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import { addSession } from '../../../test/harness/proof.ts'
import { createExpiryStore } from '../../operator/upkeep/expiry-store.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { AccountLinks } from '../account/links-service.ts'
import type { SignInCaller } from '../account/service.ts'
import type { Mail } from '../mail/ports.ts'
import { createOwnDataStore } from '../own-data/own-data-store.ts'
import type { Undo } from './service.ts'

const clock = movableClock()
const password = 'a few words that fit'
const chosen = 'the next few words'
const hour = 3_600_000
const sevenDays = 7 * 24 * hour
const tokenIn = ({ text }: Mail) => /#(\S+)/.exec(text)?.[1] ?? assert.fail(text)
const undoneSubject = 'A change to your account was undone'

withServices('undoing a change', { clock }, services => {
  let links: AccountLinks
  let undo: Undo
  let box: ReturnType<typeof usePostBox>
  let people = 0
  before(() => {
    box = usePostBox(services())
    links = services().accountLinks(services().mailer())
    undo = services().undo(links)
    services().stopWaking()
  })
  // Each test begins with an hour.
  beforeEach(() => clock.set((Math.floor(clock() / hour) + 2) * hour))

  const sent = () => box.sent()
  const mailTo = async (email: string): Promise<Mail> =>
    (await sent()).find(({ to, subject }) => to === email && subject !== undoneSubject) ?? assert.fail(email)
  const addressed = async () => (await sent()).map(({ to, subject }) => [to, subject]).toSorted()
  const caller = (): SignInCaller => ({
    address: `192.0.2.${people}`,
    browser: 'known',
    formerSession: undefined,
    userAgent: undefined,
    securityMail: () => [],
  })
  const outcomeOf = async (email: string, typed: string) =>
    (await services().accounts.signIn({ ...caller(), email, password: typed })).outcome
  const press = async (token: string, typed = chosen) => (await undo.undo(token, typed)).outcome

  async function person() {
    const email = `undo-${++people}@example.net`
    await links.signUp(
      { firstName: 'Ana', lastName: 'Silva', email, password },
      { continueTo: '/account', browserMark: 'mark' },
    )
    const done = await links.confirm(tokenIn(await mailTo(email)), { ...caller(), password }, 'mark')
    const session = done.outcome === 'signed-in' ? done.session : assert.fail()
    const owner = (await services().accounts.findSession(session)) ?? assert.fail()
    clock.advance(1000)
    return { email, owner, session }
  }

  async function addApp(owner: SessionOwner): Promise<void> {
    clock.advance(60_000)
    const { secret } = await services().factors.beginTotp(owner)
    const typed = { secret, code: codeByOathtool(secret, clock()) }
    const mails = links.securityMail(owner.candidateId, 'app-added')
    assert.equal((await services().factors.addTotp(owner, typed, mails)).outcome, 'added')
  }
  async function addPasskey(owner: SessionOwner, id = newUuid()): Promise<string> {
    clock.advance(60_000)
    assert.equal((await addPasskeyTo(owner, id)).outcome, 'added')
    return id
  }
  async function addPasskeyTo({ candidateId, sessionId }: SessionOwner, id = newUuid()) {
    const passkey = {
      id,
      name: 'A phone',
      rpId: 'auth.example',
      transports: [],
      publicKey: '-',
      counter: 0,
    }
    const challenge = { hash: newUuid(), expiresAt: clock() + hour }
    const mails = links.securityMail(candidateId, 'passkey-added')
    const owner = { candidateId, sessionId } as SessionOwner
    return services().factors.addPasskey(owner, { passkey, challenge }, mails)
  }
  const sessionsOf = ({ candidateId }: SessionOwner) =>
    services()
      .database.reader.selectFrom('sessions')
      .select('id')
      .where('candidate_id', '=', candidateId)
      .execute()
  async function changePassword(owner: SessionOwner, current: string, next: string): Promise<void> {
    clock.advance(60_000)
    const mails = links.passwordChangedMail(owner.candidateId)
    const change = { ...caller(), current, password: next, mails }
    assert.equal((await services().accounts.changePassword(owner, change)).outcome, 'changed')
  }
  /** Leaves the notice to the former address in the outbox. */
  async function changeAddress(owner: SessionOwner, from: string, email: string, typed = password) {
    clock.advance(60_000)
    await links.askToChangeEmail({ ...owner, email: from }, { ...caller(), email, password: typed })
    const changed = await links.changeEmail(tokenIn(await mailTo(email)), { ...caller(), password: typed })
    assert.ok(changed.outcome === 'signed-in' || changed.outcome === 'second-step', changed.outcome)
  }
  const factorsOf = async ({ candidateId }: SessionOwner) => {
    const { totp, passkeys, codesLeft } = await services().factors.find(candidateId)
    return { hasApp: totp !== undefined, passkeys: passkeys.map(({ id }) => id), codesLeft }
  }
  const addressOf = async ({ candidateId }: SessionOwner) =>
    (await services().accountStore.find(candidateId))?.email
  const audited = async (candidateId: string) =>
    services()
      .database.reader.selectFrom('audit_entries')
      .select(['number', 'action', 'actor_id', 'proof', 'before', 'after'])
      .where('target', '=', `person:${candidateId}`)
      .orderBy('number')
      .execute()

  test('removes the passkey or app, ends sessions and links, and sets the password that was chosen', async () => {
    for (const add of [addApp, addPasskey]) {
      const { email, owner, session } = await person()
      await add(owner)
      const token = tokenIn(await mailTo(email))
      await links.askToReset(email, { continueTo: '/account' })
      const reset = tokenIn(await mailTo(email))
      const found = (await undo.find(token)) ?? assert.fail()
      assert.deepEqual([found.email, found.kind, found.isAddressChanged], [email, 'factor', false])
      assert.equal(found.factors.map(({ isRemoved }) => isRemoved).join(), 'true')
      assert.ok(await services().accounts.findSession(session), 'looking changes nothing')
      assert.equal(await press(token, 'short'), 'invalid')
      assert.equal(await press(token), 'undone')
      assert.deepEqual(await factorsOf(owner), { hasApp: false, passkeys: [], codesLeft: 0 })
      assert.equal(await services().accounts.findSession(session), undefined)
      assert.equal(await links.findReset(reset), undefined)
      assert.equal(await outcomeOf(email, password), 'wrong')
      assert.equal(await outcomeOf(email, chosen), 'signed-in')
      assert.deepEqual(await addressed(), [[email, undoneSubject]])
      assert.equal(await press(token), 'gone', 'once')
      assert.equal(await undo.find(token), undefined)
    }
  })

  test('puts the former address back and tells both', async () => {
    const { email, owner } = await person()
    await changeAddress(owner, email, `thief-${email}`)
    const token = tokenIn(await mailTo(email))
    assert.equal((await undo.find(token))?.isAddressChanged, true)
    assert.equal(await press(token), 'undone')
    assert.equal(await addressOf(owner), email)
    assert.equal(await outcomeOf(email, chosen), 'signed-in')
    const mails = await sent()
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]).toSorted(),
      [email, `thief-${email}`].map(to => [to, undoneSubject]).toSorted(),
    )
    for (const { text } of mails) assert.doesNotMatch(text, /\/undo#/, 'an undo cannot be undone')
  })

  test('sets another password after a change of it, by a session and by a link', async () => {
    const { email, owner } = await person()
    await changePassword(owner, password, 'the thief’s own words')
    assert.equal(await press(tokenIn(await mailTo(email))), 'undone')
    assert.equal(await outcomeOf(email, 'the thief’s own words'), 'wrong')
    await sent()
    await links.askToReset(email, { continueTo: '/account' })
    await links.reset(tokenIn(await mailTo(email)), 'set by a link')
    assert.equal(await press(tokenIn(await mailTo(email)), 'and another one'), 'undone')
    assert.equal(await outcomeOf(email, 'and another one'), 'signed-in')
  })

  test('undoes everything since, and leaves what is older to older links', async () => {
    const { email, owner } = await person()
    const older = await addPasskey(owner)
    const first = tokenIn(await mailTo(email))
    await changePassword(owner, password, 'the thief’s own words')
    const second = tokenIn(await mailTo(email))
    await addApp(owner)
    const third = tokenIn(await mailTo(email))
    await changeAddress(owner, email, `between-${email}`, 'the thief’s own words')
    const fourth = tokenIn(await mailTo(email))
    await changeAddress(owner, `between-${email}`, `thief-${email}`, 'the thief’s own words')
    const thiefs = tokenIn(await mailTo(`between-${email}`))
    await addPasskey(owner)
    const thiefsLast = tokenIn(await mailTo(`thief-${email}`))

    assert.equal(await press(second), 'undone')
    assert.equal(await addressOf(owner), email)
    const { hasApp, passkeys } = await factorsOf(owner)
    assert.deepEqual([hasApp, passkeys], [false, [older]])
    for (const ended of [second, third, fourth, thiefs, thiefsLast])
      assert.equal(await press(ended, 'the thief once more'), 'gone')
    assert.equal(await addressOf(owner), email)
    assert.equal(await press(first, 'because it was the thief'), 'undone')
    assert.deepEqual((await factorsOf(owner)).passkeys, [])
  })

  test('an intruder gets no link for what the owner has undone or changed back', async () => {
    const { email, owner } = await person()
    const thief = `thief-${email}`
    await changeAddress(owner, email, thief)
    const token = tokenIn(await mailTo(email))
    // Waits in the outbox while the owner presses.
    await addPasskey(owner)
    assert.equal(await press(token), 'undone')
    for (const { text } of await sent()) assert.doesNotMatch(text, /\/undo#/)

    await changeAddress(owner, email, thief, chosen)
    await sent()
    await addSession(services(), owner)
    await addPasskey(owner)
    const thiefs = tokenIn(await mailTo(thief))
    await changeAddress(owner, thief, email, chosen)
    const changed = await mailTo(thief)
    assert.equal(changed.subject, 'Your email address was changed')
    assert.doesNotMatch(changed.text, /#/)
    assert.equal(await press(thiefs, 'the thief once more'), 'gone')
    assert.equal(await addressOf(owner), email)
  })

  test('a notice goes to the address of the time of its change, so that the next change does not take its link', async () => {
    const { email, owner } = await person()
    const down = { outcome: 'retry', words: 'away', isUnavailable: true } as const
    await addApp(owner)
    box.results.push(down)
    await sent()
    await services()
      .database.writer.updateTable('candidates')
      .set({ email: `thief-${email}` })
      .where('id', '=', owner.candidateId)
      .execute()
    clock.advance(hour)
    const [notice = assert.fail()] = await sent()
    assert.equal(notice.to, email)
    assert.equal(await press(tokenIn(notice)), 'undone')
    assert.equal(await addressOf(owner), email)
  })

  test('each attempt to send has its own link, and all work', async () => {
    const { email, owner } = await person()
    await addApp(owner)
    box.results.push({ outcome: 'retry', words: 'away', isUnavailable: true })
    const first = tokenIn(await mailTo(email))
    clock.advance(hour)
    const second = tokenIn(await mailTo(email))
    assert.notEqual(first, second)
    assert.ok(await undo.find(second))
    assert.equal(await press(first), 'undone')
    assert.equal(await press(second), 'gone')
  })

  test('works for seven days, and is removed afterwards', async () => {
    const { email, owner } = await person()
    await addApp(owner)
    const at = clock()
    const token = tokenIn(await mailTo(email))
    const { reader } = services().database
    const stored = reader.selectFrom('undo_links').select('hash')
    const rows = () => stored.where('candidate_id', '=', owner.candidateId).execute()
    assert.equal((await rows()).length, 2)
    for (const { hash } of await rows()) {
      assert.ok(!token.includes(hash), 'hashed')
      assert.equal(await undo.find(hash), undefined)
    }
    clock.set(at + sevenDays - 1)
    assert.ok(await undo.find(token))
    clock.set(at + sevenDays)
    assert.equal(await undo.find(token), undefined)
    assert.equal(await press(token), 'gone')
    await createExpiryStore(services().database).removeUndoLinks(clock(), 100)
    assert.deepEqual(await rows(), [])
  })

  test('says that the change is gone, and leaves another account with the address alone', async () => {
    const { email, owner } = await person()
    await addApp(owner)
    const token = tokenIn(await mailTo(email))
    await services().factors.removeTotp(owner, [])
    assert.equal(await undo.find(token), undefined)
    assert.equal(await press(token), 'gone')

    await changeAddress(owner, email, `new-${email}`)
    const second = tokenIn(await mailTo(email))
    await services()
      .database.writer.updateTable('candidates')
      .set({ email })
      .where('id', '=', (await person()).owner.candidateId)
      .execute()
    assert.equal((await undo.find(second))?.isTaken, true)
    assert.equal(await press(second), 'gone')
    assert.equal(await addressOf(owner), `new-${email}`)
  })

  test('takes the address from a sign-up that was not confirmed', async () => {
    const { email, owner } = await person()
    await changeAddress(owner, email, `new-${email}`)
    const token = tokenIn(await mailTo(email))
    const stranger = { firstName: 'A', lastName: 'B', email, password }
    await links.signUp(stranger, { continueTo: '/account' })
    await sent()
    assert.equal(await press(token), 'undone')
    assert.equal(await addressOf(owner), email)
  })

  test('concerns its own account only', async () => {
    const [one, other] = [await person(), await person()]
    await addApp(other.owner)
    await addApp(one.owner)
    const mails = await sent()
    const token = tokenIn(mails.find(({ to }) => to === one.email) ?? assert.fail())
    assert.equal(await press(token), 'undone')
    assert.equal((await factorsOf(other.owner)).hasApp, true)
    assert.equal(await outcomeOf(other.email, password), 'second-step')
    const others = tokenIn(mails.find(({ to }) => to === other.email) ?? assert.fail())
    assert.equal(await press(others), 'undone')
  })

  test('of two presses one undoes', async () => {
    const { email, owner } = await person()
    await addApp(owner)
    const token = tokenIn(await mailTo(email))
    const presses = await Promise.all([press(token, 'the first of two'), press(token, 'the second of two')])
    assert.deepEqual(presses.toSorted(), ['gone', 'undone'])
    const works = presses[0] === 'undone' ? 'the first of two' : 'the second of two'
    assert.equal(await outcomeOf(email, works), 'signed-in')
    assert.equal((await sent()).length, 1)
  })

  test('wins against what a thief does at the same moment', async () => {
    for (let round = 0; round < times(3, 40); round++) {
      const { email, owner } = await person()
      await addPasskey(owner)
      const token = tokenIn(await mailTo(email))
      const second = `undo-thief-${people}-${round}@example.net`
      await links.askToChangeEmail({ ...owner, email }, { ...caller(), email: second, password })
      const pending = tokenIn(await mailTo(second))
      const signIn = () => services().accounts.signIn({ ...caller(), email, password })
      const attempts = [
        async () => void (await links.changeEmail(pending, { ...caller(), password })),
        // His form expires if the undo has ended his session.
        () => addPasskeyTo(owner).catch(error => assert.equal(error.code, 'form-expired')),
        signIn,
        () =>
          services().accounts.changePassword(owner, {
            ...caller(),
            current: password,
            password: 'words of a thief',
            mails: [],
          }),
        signIn,
      ]
      const mix = [...attempts.slice(round % 5), ...attempts.slice(0, round % 5)]
      const outcomes = await Promise.all([
        ...mix.slice(0, 2).map(attempt => attempt()),
        press(token),
        ...mix.slice(2).map(attempt => attempt()),
      ])
      assert.equal(outcomes[2], 'undone', JSON.stringify(outcomes))
      assert.equal(await addressOf(owner), email)
      assert.deepEqual((await factorsOf(owner)).passkeys, [])
      assert.deepEqual(await sessionsOf(owner), [])
      assert.equal(await outcomeOf(email, chosen), 'signed-in')
      assert.equal(await outcomeOf(email, 'words of a thief'), 'wrong')
    }
  })

  test('by the link of a digest undoes all changes in it', async () => {
    const { email, owner } = await person()
    const { mailer } = services()
    for (let notice = 0; notice < 5; notice++)
      await mailer()?.queue(links.securityMail(owner.candidateId, 'app-removed'))
    await sent()
    await addPasskey(owner)
    await addApp(owner)
    await addPasskey(owner)
    assert.deepEqual(await sent(), [])
    clock.advance(hour)
    const digest = await mailTo(email)
    assert.equal(digest.subject, 'More changes to your account')
    assert.equal([...digest.text.matchAll(/\/undo#/g)].length, 1)
    assert.equal(await press(tokenIn(digest)), 'undone')
    assert.deepEqual(await factorsOf(owner), { hasApp: false, passkeys: [], codesLeft: 0 })
  })

  test('is on record, with the factors that it removed', async () => {
    const { email, owner } = await person()
    await changeAddress(owner, email, `thief-${email}`)
    const token = tokenIn(await mailTo(email))
    await addApp(owner)
    const known = (await audited(owner.candidateId)).length
    assert.equal(await press(token), 'undone')
    const by = { actor_id: owner.candidateId, proof: 'link' }
    const added = (await audited(owner.candidateId)).slice(known)
    assert.deepEqual(
      added.map(({ number, ...entry }) => entry),
      [
        { action: 'account.email', ...by, before: null, after: null },
        { action: 'account.password', ...by, before: null, after: '{"way":"undo"}' },
        { action: 'factor.remove', ...by, before: '{"kind":"totp"}', after: null },
      ],
    )
  })

  test('a link to a provider is no factor of an operator: it goes, and keeps nothing', async () => {
    const [first, second] = [await person(), await person()]
    for (const { owner } of [first, second])
      await services()
        .database.writer.insertInto('operators')
        .values({ candidate_id: owner.candidateId, role: 'operator', created_at: clock() })
        .execute()
    const link = async ({ candidateId }: SessionOwner) => {
      clock.advance(60_000)
      const identity = { issuer: 'https://login.example/', subject: candidateId }
      await services().providers.link(
        candidateId,
        identity,
        links.securityMail(candidateId, 'provider-linked'),
      )
    }
    const linksOf = async ({ candidateId }: SessionOwner) =>
      (await services().identities.list(candidateId)).length
    // An older link does not let the mailbox remove the only passkey.
    await link(first.owner)
    await sent()
    const id = await addPasskey(first.owner)
    await press(tokenIn(await mailTo(first.email)))
    assert.deepEqual((await factorsOf(first.owner)).passkeys, [id])
    assert.equal(await linksOf(first.owner), 1)
    // The link of an intruder goes, and the passkey since stays.
    await link(second.owner)
    const token = tokenIn(await mailTo(second.email))
    const kept = await addPasskey(second.owner)
    assert.equal(await press(token), 'undone')
    assert.deepEqual((await factorsOf(second.owner)).passkeys, [kept])
    assert.equal(await linksOf(second.owner), 0)
  })

  test('leaves an operator a factor: the mailbox alone does not lead to the operator’s pages', async () => {
    const { email, owner } = await person()
    const { candidateId } = owner
    await services()
      .database.writer.insertInto('operators')
      .values({ candidate_id: candidateId, role: 'operator', created_at: clock() })
      .execute()
    const first = await addPasskey(owner)
    const token = tokenIn(await mailTo(email))
    assert.equal((await undo.find(token))?.factors[0]?.isRemoved, false)
    await addPasskey(owner)
    const younger = tokenIn(await mailTo(email))
    assert.equal(await press(younger), 'undone')
    assert.deepEqual((await factorsOf(owner)).passkeys, [first])
    assert.equal(await press(token, 'and another one'), 'undone')
    assert.deepEqual((await factorsOf(owner)).passkeys, [first])
    assert.equal(await outcomeOf(email, 'and another one'), 'second-step')
  })

  test('goes with the account', async () => {
    const { email, owner } = await person()
    await addApp(owner)
    const token = tokenIn(await mailTo(email))
    assert.deepEqual(await createOwnDataStore(services().database).links(owner.candidateId, clock()), [
      { purpose: 'undo', email, expiresAt: clock() + sevenDays },
    ])
    const removed = await services().accountRemoval.remove(owner, { ...caller(), password })
    assert.equal(removed.outcome, 'removed')
    assert.equal(await press(token), 'gone')
  })
})
