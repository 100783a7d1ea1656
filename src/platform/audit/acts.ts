import type { Actor } from '../core/async/audit-context.ts'
import { lineBreakOrTab, type TextRules, textFault } from '../core/text.ts'

/** Whose chain an entry belongs to. */
export type AuditScope = { ownerId: number } | 'board'

/** Numbers, states, IDs and times: never names, addresses or secrets. An operator's reason is free text. */
export type AuditValue = string | number | boolean | null

/** Kinds of targets. Rooms add theirs: see src/model/audit-acts.ts. */
export interface AuditTargets {
  audit: true
  backup: true
  board: true
  mail: true
}
export type AuditTarget = `${keyof AuditTargets}:${string | number}`

/** Fields of an act in the board's chain. */
export const onBoard = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'board' as const,
  fields,
})

/** The acts of the platform itself. */
export const platformActs = {
  'mail.retry': onBoard('count'),
  'mail.drop': onBoard('count'),
  'clock.confirm': onBoard('doubtMs'),
  'backup.make': onBoard('set'),
  'audit.drop': onBoard('before', 'months', 'entries', 'seals'),
}
type PlatformActs = typeof platformActs

/**
 * All audited acts, with the chain of each and the only fields that may be recorded of its before and after. Rooms add
 * theirs: see src/model/audit-acts.ts.
 */
export interface AuditActions extends PlatformActs {}

export type AuditAction = keyof AuditActions

let listed: Partial<AuditActions> = platformActs

/** Registers the acts of all rooms: see src/assembly/adapters.ts. Others are not recorded. */
export function listActs(acts: AuditActions): void {
  listed = acts
}

type Noted<Action extends AuditAction> = Partial<Record<AuditActions[Action]['fields'][number], AuditValue>>
type ChainOf<Action extends AuditAction> = AuditActions[Action]['chain'] extends 'owner'
  ? { ownerId: number }
  : AuditActions[Action]['chain'] extends 'board'
    ? 'board'
    : AuditScope

/** An act, as described by the store that carries it out. */
export type Act = {
  [Action in AuditAction]: {
    action: Action
    scope: ChainOf<Action>
    target: AuditTarget
    before?: Noted<Action> | undefined
    after?: Noted<Action> | undefined
    /** Given if the act itself proves who acts, like a sign-in; otherwise taken from the audit context. */
    actor?: Actor
  }
}[AuditAction]

export const boardScope = 0
export const scopeNumber = (scope: AuditScope): number => (scope === 'board' ? boardScope : scope.ownerId)

/** Addresses of clients and webhooks, which an intruder would change. Separated by spaces. */
const addressFields = ['uris', 'privacyUrl', 'host']
const addresses = /^[!-~]+( [!-~]+)*$/

/** For these fields: other characters in an address are encoded as in a request. */
export const auditAddresses = (...urls: readonly string[]): string | null =>
  urls.length === 0
    ? null
    : urls.map(url => url.replaceAll(/[^!-~]/gu, each => encodeURIComponent(each.toWellFormed()))).join(' ')

/** States, IDs, times, words separated by spaces: sentences and email addresses have other characters. */
const shortWord = /^[\w.:/+ -]{0,200}$/

/** The operator's reason for an act on a person, in the operator's own words. */
export const reasonRules: TextRules = { maxLength: 200, isRequired: true, notOnOneLine: lineBreakOrTab }

function isNoted(name: string, value: string): boolean {
  if (name === 'reason') return textFault(value, reasonRules) === undefined
  return (addressFields.includes(name) ? addresses : shortWord).test(value)
}

/**
 * Returns JSON with the fields in the order of the list; null if there are none. Throws on fields that are not listed.
 */
export function notedJson(action: AuditAction, noted: object | undefined): string | null {
  if (noted === undefined) return null
  const fields: readonly string[] | undefined = listed[action]?.fields
  if (fields === undefined) throw new Error(`${action} is not listed`)
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
