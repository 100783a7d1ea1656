import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { aheadOrBehind } from '../../core/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import type { OperatorRole } from '../../model/principal.ts'
import type { Finding } from '../../operator/home/ports.ts'
import { keyIdOf } from '../../people/factors/secret-rules.ts'

export async function checkScanner(scanner: NonNullable<Services['scanner']>): Promise<Finding> {
  const what = 'scanner'
  try {
    await scanner.prove()
    return { what, isFine: true, says: 'clamd finds the test virus and reports what it does not scan' }
  } catch (error) {
    return { what, isFine: false, says: (error as Error).message }
  }
}

/** Connects and signs in as for an email, without sending one. */
export async function checkMail({ mailTransport, deliveries, clock }: Services): Promise<Finding> {
  const what = 'mail'
  const { waiting, dead, oldestAt } = await deliveries.counts()
  const left = `${waiting} waiting, ${dead} given up`
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
export async function checkCounts({ advertisers, counts }: Services): Promise<Finding> {
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

/** Undefined if no one has a second factor, or all of them work. */
export async function checkFactors(
  { database: { reader }, secretKeys }: Services,
  { AUTH_URL, BASE_URL, DATABASE_URL }: Config,
): Promise<Finding | undefined> {
  const what = 'sign-in'
  const known = secretKeys()?.map(keyIdOf) ?? []
  const apps = await reader.selectFrom('totp_factors').select('secret').execute()
  const closed = apps.filter(({ secret }) => !known.includes(secret.split('.')[0] ?? '')).length
  if (closed > 0) {
    const key =
      known.length === 0 ? 'SECRETS_KEY is missing' : 'SECRETS_KEY is not the key that they were added with'
    const says = `${closed} of ${apps.length} authenticator apps cannot be used, because ${key}: restore it, or put it behind the new one`
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

/** Undefined without endpoints. */
export async function checkWebhooks({
  webhookFigures,
  webhookObjection,
}: Services): Promise<Finding | undefined> {
  const what = 'webhooks'
  const { endpoints, behindMs, skewMs } = await webhookFigures()
  const { active, failing, stopped } = endpoints
  if (Object.values(endpoints).every(count => count === 0)) return undefined
  const counts = `${active} active, ${failing} failing, ${stopped} stopped`
  const objection = await webhookObjection()
  if (objection !== undefined) return { what, isFine: false, says: `are not sent: ${objection} (${counts})` }
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
  return { what, isFine: true, says: `${counts}; "dossier webhook list" shows them` }
}

export function describeRetention({ retention: { standard, min, max } }: Config, untold: number[]): Finding {
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
export async function checkDataChanges({ dataChanges }: Services): Promise<Finding | undefined> {
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

export async function checkDemo({ demo }: Services): Promise<Finding> {
  const state = await demo.state()
  const says =
    state === 'loaded' || state === 'outdated' || state === 'unfinished'
      ? 'this database contains the demo world; "dossier demo remove" empties it'
      : 'no demo world, no published credentials'
  return { what: 'demo', isFine: true, says }
}

/** Undefined unless the database was set back in the last days, or emails are still held. */
export async function checkRestored(
  { setback, clock }: Services,
  { limits }: Config,
): Promise<Finding | undefined> {
  const { restoredAt = 0, heldMails } = await setback.restored()
  const isRecent = clock() < restoredAt + limits.restoredKeepDays * 86_400_000
  if (!isRecent && heldMails === 0) return undefined
  const held =
    heldMails === 0
      ? ''
      : `; ${heldMails} emails are held: send them with "dossier mail retry --held", or remove them with "dossier mail drop --held"`
  const says = `the database was set back, noticed ${new Date(restoredAt).toISOString()}: "dossier restored --list" prints what to look at${held}`
  return { what: 'restored', isFine: heldMails === 0, says }
}

export async function checkOperators({ operators }: Services): Promise<Finding> {
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
