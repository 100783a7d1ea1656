import type { Actor } from '../core/async/audit-context.ts'
import { lineBreakOrTab, type TextRules, textFault } from '../core/text.ts'

/** Whose chain an entry belongs to: one company's, or that of the whole board. */
export type AuditScope = { advertiserId: number } | 'board'

/** Numbers, states, IDs and times: never a name, an address or a secret. An operator's reason is free text. */
export type AuditValue = string | number | boolean | null

/** What was acted on. */
export type AuditTarget = `${AuditTargetKind}:${string | number}`
export const auditTargetKinds = [
  'company',
  'person',
  'invitation',
  'credential',
  'agent',
  'client',
  'webhook',
  'job-ad',
  'questionnaire',
  'application',
  'applications',
  'session',
  'operator',
  'factor',
  'consent',
  'resume',
  'mail',
  'task',
  'file',
  'backup',
  'audit',
  'board',
] as const
export type AuditTargetKind = (typeof auditTargetKinds)[number]

const inCompany = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'company' as const,
  fields,
})
const onBoard = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'board' as const,
  fields,
})
/** An act on a company or on the board. */
const inEither = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'either' as const,
  fields,
})

/** Every act on record, whose chain it goes to, and the only fields that may be noted of it before and after. */
export const auditActions = {
  'company.add': inCompany('status', 'timeZone'),
  'company.status': inCompany('status'),
  'company.time-zone': inCompany('timeZone'),
  'company.answer-days': inCompany('days'),
  'company.keep-months': inCompany('months'),
  'company.logo': inCompany('hash'),
  'company.dates': inCompany('applications'),
  'company.retention': inCompany('months', 'next', 'changesAt'),
  'company.second-factor': inCompany('required'),
  'company.telling': inCompany('emails', 'reasons'),
  'company.privacy': inCompany('version', 'isSet', 'privacyUrl'),

  'member.join': inCompany('role', 'invitation'),
  'member.role': inCompany('role'),
  'member.remove': inCompany('role'),
  'invitation.send': inCompany('role', 'expiresAt'),
  'invitation.withdraw': inCompany('role'),

  'credential.issue': inCompany('expiresAt', 'managesWebhooks'),
  'credential.revoke': inCompany('revokedAt'),

  'agent.add': onBoard(),
  'agent.authorise': inCompany(),
  'agent.progress': inCompany('granted'),
  'agent.withdraw': inCompany(),
  'agent.invite': onBoard('agentId', 'role', 'expiresAt'),
  'agent.uninvite': onBoard('agentId', 'role'),
  'agent.join': onBoard('agentId', 'role', 'invitation'),
  'agent.role': onBoard('agentId', 'role'),
  'agent.remove': onBoard('agentId', 'role'),

  'client.add': onBoard('agentId', 'scopes', 'requirePkce', 'redirectUris', 'companies', 'uris'),
  'client.allow': inCompany(),
  'client.forbid': inCompany(),
  'client.secret': onBoard('secrets'),
  'client.progress': onBoard('applied', 'unchanged', 'superseded', 'refused'),
  'client.redirect-uris': onBoard('redirectUris', 'uris'),
  'client.privacy': onBoard('isSet', 'privacyUrl'),
  'client.logo': onBoard('hash'),
  'client.request': onBoard('change', 'kind'),
  'client.request-end': onBoard('change', 'kind', 'outcome'),
  'client.disable': onBoard('disabledAt'),

  'webhook.add': inEither('state', 'types', 'host', 'fingerprint'),
  'webhook.change': inEither('state', 'types', 'hasNewAddress', 'host', 'fingerprint'),
  'webhook.remove': inEither('state'),
  'webhook.rotate': inEither('overlapUntil'),
  'webhook.retire': inEither(),

  'job-ad.add': inCompany('status'),
  'job-ad.change': inCompany('status'),
  'job-ad.status': inCompany('status'),
  'job-ad.hold': inCompany('hold', 'reports'),
  'job-ad.release': inCompany('hold'),
  'report.dismiss': onBoard('count'),
  'questionnaire.add': inCompany('status'),
  'questionnaire.change': inCompany('status'),
  'questionnaire.status': inCompany('status'),

  'application.status': inCompany('status'),
  'application.hold': inCompany(),
  'application.release': inCompany(),
  'application.erase': inCompany('reason'),
  'applications.export': inCompany('form', 'count'),
  'applications.progress': inCompany('applied', 'unchanged', 'superseded', 'refused'),
  'applications.take-back': inCompany('status', 'count'),
  'applications.import': onBoard('imported', 'refused'),

  'account.email': inEither(),
  'account.password': inEither('way'),
  'account.link': inEither('issuer'),
  'account.unlink': inEither('issuer'),
  'account.delete': inEither('applications'),
  'session.start': inEither('failures'),
  'session.end': inEither('ended'),
  'session.failures': inEither('failures', 'lastAt'),

  'factor.add': inEither('kind'),
  'factor.remove': inEither('kind'),
  'factor.codes': inEither('codes'),
  'factor.reset': inEither('factors', 'reason'),

  'operator.invite': onBoard('role', 'expiresAt'),
  'operator.uninvite': onBoard('role'),
  'operator.join': onBoard('role'),
  'operator.remove': onBoard('role'),
  'person.look-up': onBoard('reason', 'found'),

  'task.run': onBoard('outcome'),
  'file.scan': onBoard('count'),
  'file.claim': onBoard(),
  'mail.retry': onBoard('count'),
  'mail.drop': onBoard('count'),
  'mail.test': onBoard(),
  'board.settle': onBoard('again'),
  'board.ids': onBoard('by'),
  'clock.confirm': onBoard('doubtMs'),
  'mail.lift': onBoard(),
  'person.erase': onBoard('reason', 'applications', 'onHold', 'account'),
  'backup.make': onBoard('set'),
  'audit.drop': onBoard('before', 'months', 'entries', 'seals'),
  'audit.export': inEither('form', 'count'),
} satisfies Record<string, { chain: 'company' | 'board' | 'either'; fields: readonly string[] }>

export type AuditAction = keyof typeof auditActions

type Noted<Action extends AuditAction> = Partial<
  Record<(typeof auditActions)[Action]['fields'][number], AuditValue>
>
type ChainOf<Action extends AuditAction> = (typeof auditActions)[Action]['chain'] extends 'company'
  ? { advertiserId: number }
  : (typeof auditActions)[Action]['chain'] extends 'board'
    ? 'board'
    : AuditScope

/** An act, as the store that carries it out describes it. */
export type Act = {
  [Action in AuditAction]: {
    action: Action
    scope: ChainOf<Action>
    target: AuditTarget
    before?: Noted<Action> | undefined
    after?: Noted<Action> | undefined
    /** Where the act itself proves who acts, as a sign-in does; otherwise the surroundings know. */
    actor?: Actor
  }
}[AuditAction]

export const boardScope = 0
export const scopeNumber = (scope: AuditScope): number =>
  scope === 'board' ? boardScope : scope.advertiserId

/** Where a client or webhook leads, which an intruder would change. Separated by spaces. */
const addressFields = ['uris', 'privacyUrl', 'host']
const addresses = /^[!-~]+( [!-~]+)*$/

/** For these fields: an address may have other characters, which are encoded as in a request. */
export const auditAddresses = (...urls: readonly string[]): string | null =>
  urls.length === 0
    ? null
    : urls.map(url => url.replaceAll(/[^!-~]/gu, each => encodeURIComponent(each.toWellFormed()))).join(' ')

/** States, IDs, times, words separated by spaces: a sentence or an email address has other characters. */
const shortWord = /^[\w.:/+ -]{0,200}$/

/** Why an operator acted on a person, in the operator's own words. */
export const reasonRules: TextRules = { maxLength: 200, isRequired: true, notOnOneLine: lineBreakOrTab }

function isNoted(name: string, value: string): boolean {
  if (name === 'reason') return textFault(value, reasonRules) === undefined
  return (addressFields.includes(name) ? addresses : shortWord).test(value)
}

/** As JSON, with the fields in the order of the list; null if nothing is noted. Throws on anything that is not listed. */
export function notedJson(action: AuditAction, noted: object | undefined): string | null {
  if (noted === undefined) return null
  const fields: readonly string[] = auditActions[action].fields
  const values = new Map<string, unknown>(Object.entries(noted).filter(([, value]) => value !== undefined))
  for (const [name, value] of values) {
    if (!fields.includes(name)) throw new Error(`${action} does not list the field ${name}`)
    const isFine =
      value === null ||
      typeof value === 'boolean' ||
      Number.isSafeInteger(value) ||
      (typeof value === 'string' && isNoted(name, value))
    if (!isFine) throw new Error(`${name} of ${action} is not a value for the audit log`)
  }
  return JSON.stringify(
    Object.fromEntries(fields.flatMap(name => (values.has(name) ? [[name, values.get(name)]] : []))),
  )
}
