import { ListFault } from '../../model/own-lists.ts'
import type { OperatorRole } from '../../model/principal.ts'
import type { RelyingParty } from '../../people/identities/ports.ts'
import { restoredKeepDays } from '../../platform/blobs/upload-age.ts'
import { aheadOrBehind } from '../../platform/core/clock.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { CheckResult } from '../home/ports.ts'
import { newAppsAdvice, newSecretsAdvice } from '../keys/lost-keys-texts.ts'
import { findMissingKeys, lostSecretsKeys } from '../keys/missing-keys-store.ts'

type Config = Modules['platform']['config']

export async function checkScanner(
  scanner: NonNullable<Modules['platform']['scanner']>,
): Promise<CheckResult> {
  const what = 'scanner'
  try {
    await scanner.prove()
    return { what, isFine: true, says: 'clamd finds the test virus and reports what it does not scan' }
  } catch (error) {
    return { what, isFine: false, says: (error as Error).message }
  }
}

export const describeNoScanner: CheckResult = {
  what: 'scanner',
  isFine: true,
  isAdvised: true,
  says: 'there is none, so files are passed on without a check for viruses: set CLAMD_URL',
}

export async function describeNoMail({ demo: { demo } }: Modules): Promise<CheckResult> {
  const isShown = await hasDemo(demo)
  const says = isShown
    ? 'there is no mail server: the demo shows its emails at /demo/outbox'
    : 'there is no mail server, so candidates cannot sign up or reset their passwords: set SMTP_URL'
  return { what: 'mail', isFine: true, isAdvised: !isShown, says }
}

/** Doctor also checks the certificates. */
export function describeTransport({ BASE_URL, AUTH_URL }: Config): CheckResult {
  const isSecure =
    BASE_URL !== undefined && [BASE_URL, AUTH_URL ?? BASE_URL].every(url => url.startsWith('https:'))
  const says = isSecure
    ? 'BASE_URL and AUTH_URL are https'
    : 'passwords and applications travel unencrypted: put a proxy with a certificate in front, and set BASE_URL and AUTH_URL to https'
  return { what: 'TLS', isFine: true, isAdvised: !isSecure, says }
}

/** Connects and signs in as for sending an email, but sends none. */
export async function checkMail({
  mail: { mailTransport, deliveries },
  platform: { clock },
}: Modules): Promise<CheckResult> {
  const what = 'mail'
  const { waiting, dead, oldestAt } = await deliveries.counts()
  const left = `${waiting} waiting, ${dead} failed`
  try {
    await mailTransport()?.check()
  } catch (error) {
    const says = `the mail server cannot be used (${reasonOf(error)}): check SMTP_URL; emails are retried for three days (${left})`
    return { what, isFine: false, says }
  }
  const hours = Math.floor((clock() - (oldestAt ?? clock())) / 3_600_000)
  if (hours >= 1) {
    const says = `the mail server accepts connections, but emails have waited for ${hours} hours (${left}): "dossier mail list" says why`
    return { what, isFine: false, says }
  }
  return { what, isFine: true, says: `the mail server accepts connections; ${left}` }
}

/** Compares the numbers that the console shows with the applications. */
export async function checkCounts({
  companies: { advertisers },
  collect: { counts },
}: Modules): Promise<CheckResult> {
  const what = 'counts'
  try {
    const companies = await advertisers.list()
    const wrong: string[] = []
    for (const { id } of companies) {
      for (const { status, kept, counted } of await counts.faults(id))
        wrong.push(`advertiser ${id} has ${counted} applications with status "${status}", not ${kept}`)
    }
    const [example] = wrong
    if (example === undefined)
      return { what, isFine: true, says: `of ${companies.length} advertisers match their applications` }
    const says = `${wrong.length} differ from the applications, for instance ${example}: run "dossier counts repair"`
    return { what, isFine: false, says }
  } catch (error) {
    return { what, isFine: false, says: `cannot be checked (${reasonOf(error)})` }
  }
}

/** Undefined if no one has a second factor, or all factors work. */
export async function checkFactors(
  { platform, accounts: { secretKeys } }: Modules,
  { AUTH_URL, BASE_URL, DATABASE_URL }: Config,
): Promise<CheckResult | undefined> {
  const { reader } = platform.database
  const what = 'sign-in'
  const known = secretKeys() ?? []
  const { apps, secretsKeys } = await findMissingKeys(reader, { webhook: undefined, secrets: secretKeys() })
  if (apps > 0) {
    const lost = await lostSecretsKeys(reader)
    const isLost = secretsKeys.every(id => lost.includes(id))
    const key =
      known.length === 0 ? 'SECRETS_KEY is missing' : 'SECRETS_KEY is not the key that they were added with'
    const advice = `put it behind the new one (SECRETS_KEY="new,old")${isLost ? `, or ${newAppsAdvice}` : '; if it is lost, run "dossier restored --keys"'}`
    const says = `${apps} authenticator apps cannot be used, because ${key}: restore it, or ${advice}`
    return { what, isFine: false, says }
  }
  const url = AUTH_URL ?? BASE_URL
  const passkeys = url === undefined ? [] : await reader.selectFrom('passkeys').select('rp_id').execute()
  const strange = passkeys.filter(({ rp_id }) => rp_id !== new URL(url ?? '').hostname)
  if (strange.length > 0) {
    const says = `${strange.length} of ${passkeys.length} passkeys were made for another host, such as ${strange[0]?.rp_id}, and do not work under AUTH_URL`
    return { what, isFine: false, says }
  }
  if (DATABASE_URL === undefined || known.length > 0) return undefined
  const says = 'SECRETS_KEY is not set, so no one can add a passkey or an authenticator app'
  return { what, isFine: true, says }
}

/** Fetches the provider's metadata and keys. */
export async function checkProvider(party: RelyingParty): Promise<CheckResult> {
  const { name, issuer } = party.settings
  const what = 'single sign-on'
  try {
    const { keys, skewMs = 0 } = await party.check()
    if (keys === 0) return { what, isFine: false, says: `${name} publishes no keys: check ${issuer}` }
    if (Math.abs(skewMs) > 30_000) {
      const says = `the clock of this machine is ${aheadOrBehind(-skewMs)} that of ${name}, whose tokens are then refused: synchronise both (NTP)`
      return { what, isFine: false, says }
    }
    return { what, isFine: true, says: `${name} can be reached and publishes ${keys} keys` }
  } catch (error) {
    const says = `${name} cannot be used (${reasonOf(error)}): check ${issuer}, and that this machine can reach it`
    return { what, isFine: false, says }
  }
}

/** Undefined without endpoints. */
export async function checkWebhooks({
  webhooks: { webhookFigures, webhookObjection },
}: Modules): Promise<CheckResult | undefined> {
  const what = 'webhooks'
  const { endpoints, keysLost, behindMs, skewMs } = await webhookFigures()
  const { active, failing, stopped } = endpoints
  if (Object.values(endpoints).every(count => count === 0)) return undefined
  const counts = `${active} active, ${failing} failing, ${stopped} stopped`
  const objection = await webhookObjection()
  if (objection !== undefined) return { what, isFine: false, says: `are not sent: ${objection} (${counts})` }
  if (keysLost > 0)
    return {
      what,
      isFine: false,
      says: `${keysLost} paused because their key is lost: ${newSecretsAdvice}, or "dossier webhook rotate" does (${counts})`,
    }
  if (Math.abs(skewMs ?? 0) > 120_000) {
    const clocks = `the clock of this machine is ${aheadOrBehind(-(skewMs ?? 0))} those of most receivers`
    return { what, isFine: false, says: `${clocks}, which may reject signatures: synchronise it (NTP)` }
  }
  const minutes = Math.floor(behindMs / 60_000)
  if (minutes >= 10 && active > 0 && failing === 0)
    return {
      what,
      isFine: false,
      says: `the oldest event has waited for ${minutes} minutes: is "dossier work" or WORK=in-process running? (${counts})`,
    }
  const isAdvised = failing > 0 || stopped > 0
  return { what, isFine: true, isAdvised, says: `${counts}; "dossier webhook list" shows them` }
}

export function checkRetention({ retention: { standard, min, max } }: Config, untold: number[]): CheckResult {
  if (untold.length > 0) {
    const who = untold.slice(0, 5).join(', ')
    const says = `no admin could be told by email of the shorter period of ${untold.length === 1 ? 'advertiser' : `${untold.length} advertisers:`} ${who}: their addresses reject emails. Tell the company, or run "dossier retention take-back"`
    return { what: 'retention', isFine: false, says }
  }
  const choice = `companies may choose ${min} to ${max} months`
  const says =
    standard === null
      ? `applications are kept without end unless their company has chosen a period (${choice}): set RETENTION_MONTHS for the others; "dossier retention plan" lists all`
      : `applications are kept for ${standard} months by default, ${choice}`
  return { what: 'retention', isFine: true, says }
}

/** Undefined unless a migration has rows to change. */
export async function checkDataChanges({
  dataChanges,
}: Pick<Modules['upkeep'], 'dataChanges'>): Promise<CheckResult | undefined> {
  const left = (await dataChanges.list()).filter(({ isDone }) => !isDone)
  if (left.length === 0) return undefined
  const each = left.map(({ name, rows, of, waitsFor }) =>
    waitsFor.length > 0
      ? `${name} waits until ${waitsFor.join(', ')} of an older release ${waitsFor.length === 1 ? 'has' : 'have'} stopped`
      : `${name}: ${rows} of ${of ?? 'all'} rows`,
  )
  return {
    what: 'data',
    isFine: true,
    says: `background work changes it after an upgrade: ${each.join('; ')}`,
  }
}

const hasDemo = async (demo: Modules['demo']['demo']) =>
  ['loaded', 'outdated', 'unfinished'].includes(await demo.state())

export async function checkDemo({ demo: { demo } }: Modules): Promise<CheckResult> {
  const says = (await hasDemo(demo))
    ? 'this database contains the demo world; "dossier demo remove" empties it'
    : 'no demo world, no published credentials'
  return { what: 'demo', isFine: true, says }
}

/** Undefined unless the database was set back in the last days, or emails are still held. */
export async function checkRestored({
  platform: { restoreDetection, clock },
}: Modules): Promise<CheckResult | undefined> {
  const { restoredAt = 0, heldMails } = await restoreDetection.restored()
  const isRecent = clock() < restoredAt + restoredKeepDays * 86_400_000
  if (!isRecent && heldMails === 0) return undefined
  const held =
    heldMails === 0
      ? ''
      : `; ${heldMails} emails are held: send them with "dossier mail retry --held", or remove them with "dossier mail drop --held"`
  const says = `the database was set back, noticed ${new Date(restoredAt).toISOString()}: "dossier restored --list" prints what to look at${held}`
  return { what: 'restored', isFine: heldMails === 0, says }
}

/** Any other failure is the database's. */
export async function checkLists({ people: { listMeanings } }: Modules): Promise<CheckResult> {
  const what = 'lists'
  try {
    await listMeanings.check()
    return { what, isFine: true, says: listMeanings.describe() }
  } catch (error) {
    if (!(error instanceof ListFault)) throw error
    return { what, isFine: false, says: `the service would not start: ${error.message}` }
  }
}

export async function checkOperators({ accounts: { operators } }: Modules): Promise<CheckResult> {
  const mayChange = ({ role }: { role: OperatorRole }) => role === 'operator'
  const [known, invited] = await Promise.all([operators.list(), operators.listInvitations()])
  const count = known.filter(mayChange).length
  const open = invited.filter(mayChange).length
  const says =
    count > 0
      ? `${count} may change the service under /operator`
      : open > 0
        ? `${open === 1 ? '1 is' : `${open} are`} invited, and none has opened the link yet: "dossier operator list" shows until when it works`
        : 'none yet: "dossier operator invite <email>" prints a link to the pages under /operator'
  return { what: 'operators', isFine: true, says }
}
