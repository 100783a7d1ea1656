import { type AuditActions, onBoard, platformActs } from '../platform/audit/acts.ts'

const inCompany = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'owner' as const,
  fields,
})
/** An act on record for a company or for the board. */
const inEither = <const Field extends string = never>(...fields: Field[]) => ({
  chain: 'either' as const,
  fields,
})

const boardActs = {
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
  'mail.test': onBoard(),
  'board.settle': onBoard('again'),
  'board.ids': onBoard('by'),
  'mail.lift': onBoard(),
  'person.erase': onBoard('reason', 'applications', 'onHold', 'account'),
  'audit.export': inEither('form', 'count'),
}
type BoardActs = typeof boardActs

type BoardTarget =
  | 'company'
  | 'person'
  | 'invitation'
  | 'credential'
  | 'agent'
  | 'client'
  | 'webhook'
  | 'job-ad'
  | 'questionnaire'
  | 'application'
  | 'applications'
  | 'session'
  | 'operator'
  | 'factor'
  | 'task'
  | 'file'

declare module '../platform/audit/acts.ts' {
  interface AuditActions extends BoardActs {}
  interface AuditTargets extends Record<BoardTarget, true> {}
}

/** Every audited act. */
export const auditActions: AuditActions = { ...platformActs, ...boardActs }
