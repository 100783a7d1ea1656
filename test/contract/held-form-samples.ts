/** Sample values for each form of the service, for the test that none of them gets lost. */
export interface SampleForm {
  /** With values in place of the route's parameters. */
  path: string
  fields: Record<string, string>
  /** Typed as well, but never to be shown again. */
  secrets?: Record<string, string>
  /** The names of the fields for files. Browsers send all of them, and one has a file here. */
  files?: readonly [string, ...string[]]
  /** It comes back as its own page, not as a list of the typed values. */
  comesBack?: true
}

/** Not shown by any page on its own, and not allowed unescaped. */
export const awkward = 'Zoë "O\'Neil" <b>&amp;'
/** Placeholder for the ID of the person who is signed in, which strangers do not know. */
export const ownId = '{own id}'
const uuid = '0198a000-0000-7000-8000-000000000000'

/** By method and path of the route. If you add a form, add it here. */
export const sampleForms: Record<string, SampleForm> = {
  '/sign-in': {
    path: '/sign-in',
    fields: { email: 'zoe.typed@example.com', continue: '/account' },
    secrets: { password: 'a secret that was typed' },
    comesBack: true,
  },
  '/console/:advertiserId/applications/:applicationId': {
    path: '/console/10000001/applications/1',
    fields: { shown: 'seen', status: 'hired', note: awkward },
  },
  '/console/:advertiserId/applications/selection': {
    path: '/console/10000001/applications/selection',
    fields: { status: 'hired', chosen: '1:seen' },
  },
  '/console/:advertiserId/applications/take-back': {
    path: '/console/10000001/applications/take-back',
    fields: { status: 'hired', until: '1' },
  },
  '/jobs/:jobAdId/report': {
    path: '/jobs/31/report',
    fields: { reason: 'other', details: awkward, email: '' },
  },
  '/console/:advertiserId/privacy': {
    path: '/console/10000001/privacy',
    fields: { url: '', content: awkward },
  },
  '/console/:advertiserId/telling': {
    path: '/console/10000001/telling',
    fields: { emails: 'nothing', reasons: 'shown' },
  },
  '/console/:advertiserId/applications/selection/files.zip': {
    path: '/console/10000001/applications/selection/files.zip',
    fields: { chosen: '1:seen' },
  },
  '/sign-out': { path: '/sign-out', fields: { continue: '/account/resumes' } },
  '/sign-up': {
    path: '/sign-up',
    fields: { firstName: awkward, lastName: 'O’Typed', email: 'zoe.typed@example.com' },
    secrets: { password: 'a secret that was typed' },
  },
  '/confirm': {
    path: '/confirm',
    fields: { token: 'dli_typed' },
    secrets: { password: 'a secret that was typed' },
  },
  '/confirm/again': { path: '/confirm/again', fields: { email: 'zoe.typed@example.com' } },
  '/forgotten': { path: '/forgotten', fields: { email: 'zoe.typed@example.com' } },
  '/reset': {
    path: '/reset',
    fields: { token: 'dli_typed', username: 'zoe.typed@example.com' },
    secrets: { password: 'a secret that was typed' },
  },
  '/undo': {
    path: '/undo',
    fields: { token: 'dli_typed', username: 'zoe.typed@example.com' },
    secrets: { password: 'a secret that was typed' },
  },
  '/account/profile/about': {
    path: '/account/profile/about',
    fields: { firstName: 'Zoë', lastName: awkward, phone: '+61 2 5550 1234' },
  },
  '/account/profile/skills': { path: '/account/profile/skills', fields: { skills: 'Typing\r\nKeeping' } },
  '/account/profile/job': {
    path: '/account/profile/job',
    fields: { title: awkward, company: 'Typing & Sons', from: '2024-03', achievements: 'One.\r\nTwo.' },
  },
  '/account/profile/country': {
    path: '/account/profile/country',
    fields: { country: 'AU', description: awkward, salary: '68000', salaryType: 'Annual' },
  },
  '/account/security': {
    path: '/account/security',
    fields: { action: 'email', email: 'zoe.typed@example.com' },
    secrets: { password: 'a secret that was typed', current: 'another secret that was typed' },
  },
  '/account/confirm': {
    path: '/account/confirm',
    fields: { continue: '/account/resumes' },
    secrets: { proof_password: 'a secret that was typed' },
  },
  '/sign-in/code': {
    path: '/sign-in/code',
    fields: { continue: '/account/resumes', ticket: 'a ticket that was typed' },
    secrets: { code: '123456' },
    comesBack: true,
  },
  '/sign-in/email/code': {
    path: '/sign-in/email/code',
    fields: { continue: '/account/resumes', ticket: 'a ticket that was typed' },
    secrets: { code: '123456' },
    comesBack: true,
  },
  '/account/security/two-step': { path: '/account/security/two-step', fields: { action: 'renew-codes' } },
  '/account/security/two-step/app': {
    path: '/account/security/two-step/app',
    fields: { secret: 'typed', code: '123456' },
  },
  '/account/security/two-step/passkey': {
    path: '/account/security/two-step/passkey',
    fields: { name: awkward, passkey: 'typed', passkey_ticket: 'typed' },
  },
  '/account/notifications': { path: '/account/notifications', fields: { receipts: 'yes' } },
  '/account/resumes/upload': {
    path: '/account/resumes/upload',
    fields: { form_key: uuid, note: awkward },
    files: ['file'],
  },
  '/account/applications/:applicationId/withdraw': {
    path: '/account/applications/1/withdraw',
    fields: {},
  },
  '/account/applications/:applicationId/documents': {
    path: '/account/applications/1/documents',
    fields: { type: 'coverLetter' },
    files: ['file'],
  },
  '/account/resumes/default': { path: '/account/resumes/default', fields: { resume: uuid } },
  '/account/resumes/delete': { path: '/account/resumes/delete', fields: { resume: uuid } },
  '/account/data/download': { path: '/account/data/download', fields: {} },
  '/account/data/delete': {
    path: '/account/data/delete',
    fields: { sure: 'yes' },
    secrets: { password: 'a secret that was typed' },
  },
  '/account/sharing/narrow': {
    path: '/account/sharing/narrow',
    fields: { consent: uuid, shown: '63', release: 'phone' },
  },
  '/account/sharing/end-keeping': { path: '/account/sharing/end-keeping', fields: { application: '4001' } },
  '/account/sharing/withdraw': { path: '/account/sharing/withdraw', fields: { consent: uuid } },
  '/account/applications/drafts/discard': {
    path: '/account/applications/drafts/discard',
    fields: { draft: uuid },
  },
  '/jobs/:jobAdId/apply': {
    path: '/jobs/32/apply',
    fields: {
      form_key: uuid,
      candidate: ownId,
      firstName: awkward,
      lastName: 'O’Typed',
      email: 'zoe.typed@example.com',
      phone: '+61 2 5550 1234',
      work: 'job',
      jobTitle: 'Typist',
      company: 'Typing & Sons',
      months: '18',
      resume: 'upload',
    },
    files: ['resumeFile', 'coverLetter', 'selectionCriteria'],
    comesBack: true,
  },
  '/invitations': { path: '/invitations', fields: { token: 'din_typed' } },
  '/console/:advertiserId/notifications': {
    path: '/console/10000001/notifications',
    fields: { rhythm: 'soon' },
  },
  '/agent/:agentId/clients/:clientId': {
    path: '/agent/20000001/clients/demo-ats',
    fields: { action: 'privacy', privacyUrl: 'https://typed.example/privacy' },
  },
  '/agent/:agentId/clients/:clientId/logo': {
    path: '/agent/20000001/clients/demo-ats/logo',
    fields: {},
    files: ['logo'],
  },
  '/agent/:agentId/webhooks/new-endpoint': {
    path: '/agent/20000001/webhooks/new-endpoint',
    fields: { form_key: uuid, url: 'https://typed.example/hook', types: 'application.created', scheme: 'v1' },
  },
  '/agent/:agentId/webhooks/endpoints/:webhookId': {
    path: `/agent/20000001/webhooks/endpoints/${uuid}`,
    fields: { do: 'replay', from: '2026-11-01' },
  },
  '/agent/:agentId/webhooks/endpoints/:webhookId/rotate': {
    path: `/agent/20000001/webhooks/endpoints/${uuid}/rotate`,
    fields: { form_key: uuid },
  },
  '/agent/:agentId/webhooks/endpoints/:webhookId/remove': {
    path: `/agent/20000001/webhooks/endpoints/${uuid}/remove`,
    fields: {},
  },
  '/agent/:agentId/people': {
    path: '/agent/20000001/people',
    fields: { action: 'invite', email: 'zoe.typed@example.com', role: 'reader', form_key: uuid },
  },
  '/agent/:agentId/people/:personId/remove': { path: `/agent/20000001/people/${uuid}/remove`, fields: {} },
  '/agent/:agentId/people/leave': { path: '/agent/20000001/people/leave', fields: {} },
  '/console/:advertiserId/people': {
    path: '/console/10000001/people',
    fields: { action: 'invite', email: 'zoe.typed@example.com', role: 'recruiter', form_key: uuid },
  },
  '/console/:advertiserId/people/:personId/remove': {
    path: `/console/10000001/people/${uuid}/remove`,
    fields: {},
  },
  '/console/:advertiserId/people/leave': { path: '/console/10000001/people/leave', fields: {} },
  '/console/:advertiserId/access/new-credential': {
    path: '/console/10000001/access/new-credential',
    fields: { form_key: uuid, label: awkward, expires: '2030-01-31' },
  },
  '/console/:advertiserId/access/credentials/:credentialId/revoke': {
    path: `/console/10000001/access/credentials/${uuid}/revoke`,
    fields: {},
  },
  '/console/:advertiserId/events/new-endpoint': {
    path: '/console/10000001/events/new-endpoint',
    fields: { form_key: uuid, url: 'https://receiver.example/hook', description: awkward, scheme: 'v1' },
  },
  '/console/:advertiserId/events/endpoints/:endpointId': {
    path: `/console/10000001/events/endpoints/${uuid}`,
    fields: { do: 'replay', from: '2026-11-01' },
  },
  '/console/:advertiserId/events/endpoints/:endpointId/rotate': {
    path: `/console/10000001/events/endpoints/${uuid}/rotate`,
    fields: { form_key: uuid },
  },
  '/console/:advertiserId/events/endpoints/:endpointId/remove': {
    path: `/console/10000001/events/endpoints/${uuid}/remove`,
    fields: {},
  },
  '/console/:advertiserId/access/new-agent': {
    path: '/console/10000001/access/new-agent',
    fields: { agent: '77001' },
  },
  '/console/:advertiserId/applications/answer-days': {
    path: '/console/10000001/applications/answer-days',
    fields: { days: '30' },
  },
  '/console/:advertiserId/applications/time-zone': {
    path: '/console/10000001/applications/time-zone',
    fields: { timeZone: 'Europe/London' },
  },
  '/console/:advertiserId/audit/export': { path: '/console/10000001/audit/export', fields: {} },
  '/console/:advertiserId/retention/keep': {
    path: '/console/10000001/retention/keep',
    fields: { keepMonths: '6' },
  },
  '/console/:advertiserId/retention': { path: '/console/10000001/retention', fields: { months: '6' } },
  '/console/:advertiserId/applications/:applicationId/hold': {
    path: '/console/10000001/applications/1/hold',
    fields: { reason: awkward },
  },
  '/console/:advertiserId/logo': {
    path: '/console/10000001/logo',
    fields: { action: 'remove' },
    files: ['logo'],
  },
  '/console/:advertiserId/access/agents/:agentId/progress': {
    path: '/console/10000001/access/agents/77001/progress',
    fields: { allow: 'yes' },
  },
  '/console/:advertiserId/access/agents/:agentId/withdraw': {
    path: '/console/10000001/access/agents/77001/withdraw',
    fields: {},
  },
  '/console/:advertiserId/jobs/new': {
    path: '/console/10000001/jobs/new',
    fields: { form_key: uuid, title: awkward, location: 'Typing Bay', description: 'One.\r\n\r\nTwo.' },
  },
  '/console/:advertiserId/jobs/:jobAdId': {
    path: '/console/10000001/jobs/31',
    fields: { title: awkward, location: 'Typing Bay', description: 'One.\r\n\r\nTwo.', updatedAt: '1' },
  },
  '/console/:advertiserId/screens/new': {
    path: '/console/10000001/screens/new',
    fields: { form_key: uuid, name: awkward, do: 'save' },
  },
  '/console/:advertiserId/screens/:screenId': {
    path: '/console/10000001/screens/501',
    fields: { name: awkward, updatedAt: '1', do: 'save' },
  },
  '/console/:advertiserId/screens/:screenId/preview': {
    path: '/console/10000001/screens/501/preview',
    fields: { 'question-7004': awkward },
  },
  '/demo/apply': { path: '/demo/apply', fields: { reference: 'TYPED-1' } },
  '/demo/submit': {
    path: '/demo/submit',
    fields: { firstName: awkward, email: 'zoe.typed@example.com', letter: 'Dear all,\r\nI type.' },
  },
}

/** Forms of programs, a second button of a form, and the consent, which must be shown again and has its own tests. */
export const otherForms = [
  '/api/iam/oauth2/authorize',
  '/api/iam/oauth2/revoke',
  '/api/iam/oauth2/token',
  '/theme',
  // Another button of the form of an application: see drafts.test.ts.
  '/jobs/:jobAdId/apply/draft',
  // Another button of the form to sign in: see emailed-codes.test.ts.
  '/sign-in/email',
  // Its path has a token that no other website knows.
  '/unsubscribe/:token/undo',
  '/v1/intake/applications',
]
