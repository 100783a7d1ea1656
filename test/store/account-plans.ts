/** Under the lock of the account. */
export const factorPlans = [
  'candidates by id',
  'totp_factors by candidate_id',
  'passkeys by candidate_id',
  'recovery_codes by candidate_id',
  'identities by candidate_id',
  'audit_heads by scope',
]

export const addedPlans = [
  ...factorPlans,
  'sessions by id',
  'sessions by candidate_id',
  'account_links by candidate_id, purpose',
  'email_codes by email',
]

/** Before an account is deleted, the rows that could refer to it. */
const referringPlans = [
  'identities by candidate_id',
  'operators by candidate_id',
  'disclosures by candidate_id',
  'grants by candidate_id',
  'own_applications by candidate_id',
  'drafts by candidate_id',
  'prefilled_applications by candidate_id',
  'resumes by candidate_id',
  'sessions by candidate_id',
  'memberships by candidate_id',
  'totp_factors by candidate_id',
  'passkeys by candidate_id',
  'recovery_codes by candidate_id',
  'mailbox_passwords by candidate_id',
]

const undoPlans = [
  'undo_links by hash',
  'undo_links by candidate_id',
  'undo_links by candidate_id, changed_at',
]

/** Where acts on an account are recorded. */
export const chains = ['memberships', 'agent_members', 'operators'].map(table => `${table} by candidate_id`)

/** How a candidate gets an account, signs in to it and undoes changes. */
export const accountPlans = {
  'accounts.find': ['candidates by id'],
  'identities.find': ['identities by issuer, subject'],
  'identities.list': ['identities by candidate_id'],
  'identities.isOperator': ['operators by candidate_id'],
  'identities.isCandidateOf': ['identities by candidate_id, issuer', ...chains],
  'identities.addAccount': ['account_links by candidate_id', ...chains],
  'identities.link': ['candidates by id', 'identities by issuer, subject', ...chains],
  'identities.unlink': [
    'candidates by id',
    'passkeys by candidate_id',
    'identities by candidate_id, issuer',
    // Either index finds few rows.
    'sessions by candidate_id',
    'sessions by provider_issuer, provider_subject',
    ...chains,
  ],
  'identities.endSessions': ['sessions by provider_issuer, provider_subject', ...chains],
  'identities.read': ['sent_forms by key'],
  'identities.take': ['sent_forms by key'],
  'accounts.findByEmail': ['meta by key', 'candidates by email'],
  'accounts.hasWorkplace': chains,
  'codes.find': ['email_codes by challenge'],
  'codes.setCode': ['email_codes by challenge'],
  'codes.countTry': ['email_codes by challenge'],
  'codes.use': ['email_codes by challenge'],
  'accounts.findLink': ['account_links by hash'],
  'undo.findChange': ['undo_links by hash'],
  'undo.firstChange': ['undo_links by candidate_id, changed_at'],
  'undo.addLink': ['undo_links by hash'],
  'undo.find': [
    'identities by candidate_id',
    'undo_links by hash',
    'candidates by id',
    'candidates by email',
    'totp_factors by candidate_id',
    'passkeys by candidate_id',
    'operators by candidate_id',
  ],
  'undo.undo': [
    ...undoPlans,
    ...referringPlans,
    ...factorPlans,
    ...chains,
    'candidates by email',
    'account_links by candidate_id',
    'email_codes by email',
    'passkeys by candidate_id, created_at',
    'advertisers by id',
  ],
  'accounts.findRegistration': ['account_links by candidate_id, purpose'],
  'accounts.confirm': [
    'account_links by hash',
    'account_links by candidate_id',
    'email_codes by email',
    'candidates by id',
    'candidates by email',
  ],
  'accounts.changeEmail': [
    'agent_members by candidate_id',
    'account_links by hash',
    'account_links by candidate_id',
    'email_codes by email',
    'candidates by id',
    'candidates by email',
    ...undoPlans,
    ...referringPlans,
  ],
  'accounts.resetPassword': [
    'account_links by hash',
    'account_links by candidate_id',
    'email_codes by email',
    'candidates by id',
    'candidates by email',
    'sessions by candidate_id',
    'mailbox_passwords by candidate_id',
    'passkeys by candidate_id, created_at',
    'advertisers by id',
    ...factorPlans,
    ...chains,
  ],
  'accounts.changePassword': [
    'candidates by id',
    ...chains,
    'sessions by candidate_id',
    'account_links by candidate_id',
    'email_codes by email',
  ],
}
