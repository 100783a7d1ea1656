import { html } from '../../web/html.ts'

export const agentTexts = {
  companies: {
    title: 'Companies',
    lead: 'Companies that have authorised you. Your clients can get a token for each of them.',
    ownId: (id: number) =>
      html`Companies authorise you on their page “API access”, with your agent ID: <code>${id}</code>.`,
    caption: 'Companies that have authorised this agent',
    name: 'Company',
    id: 'ID',
    since: 'Since',
    lastCall: 'Last call',
    noCall: 'None yet',
    onHold: 'On hold',
    empty: {
      title: 'No company has authorised you yet',
      text: 'Give your agent ID to the companies that you work for. An admin of each company authorises you in its console, on the page “API access”.',
    },
  },

  calls: {
    title: (days: number) => `Calls of the last ${days} days`,
    lead: 'Calls with a valid token for a company. Days are in Australian Eastern Standard Time (UTC+10). Calls appear here after a few seconds.',
    caption: 'Calls per day, newest first',
    empty: 'No calls in this period.',
    refused: 'Refused calls',
    refusedCaption: 'Refused calls by problem',
    code: 'Problem',
    number: 'Calls',
    none: 'None',
  },

  webhooks: {
    title: 'Webhooks',
    lead: html`Have events of all companies that have authorised you sent to your program. <a href="/docs/webhooks">How to receive webhooks</a>`,
  },

  clients: {
    title: 'OAuth clients',
    lead: 'The programs with which you act for companies, and with which candidates share their profile.',
    caption: 'OAuth clients of this agent',
    name: 'Name',
    id: 'Client ID',
    state: 'State',
    scopes: 'Scopes',
    secrets: 'Valid secrets',
    since: 'Since',
    active: 'Active',
    disabled: 'Disabled',
    none: 'None',
    redirectUris: 'Redirect URIs',
    redirectUrisHint: 'One per line, exactly as your program sends them.',
    privacyUrl: 'Privacy notice',
    privacyHint:
      'The address of your privacy notice, which candidates can open before they share their profile. Leave empty for none.',
    logo: 'Logo',
    empty: { title: 'No clients yet', text: 'The operator of this service registers clients. Ask for one.' },
    notChanged: 'Nothing has been changed yet.',

    rotate: 'New secret',
    rotateText:
      'A new secret works at once, and the newest one before it stays valid until the next rotation. So your program never has to stop: create a secret, deploy it everywhere, and only then create another. If a secret has leaked, revoke all others at once.',
    rotateButton: 'Create secret',
    onlyButton: 'Create secret and revoke all others',
    newSecret: 'Your new secret',
    secret: 'Client secret',
    copyNow: html`<p><strong>Copy it now.</strong> The secret is shown only here and only now: we keep just a fingerprint of it.</p>`,
    overlap: 'The secret before it stays valid until the next rotation, unless you have revoked all others.',
    copied: 'I’ve copied it',

    changeTitle: 'Changes',
    selfService: 'Changes take effect at once.',
    confirmed: 'The operator of this service confirms each change. Until then, everything stays as it is.',
    saveUris: 'Save redirect URIs',
    askUris: 'Ask for these redirect URIs',
    savePrivacy: 'Save privacy notice',
    askPrivacy: 'Ask for this privacy notice',
    saveLogo: 'Save logo',
    askLogo: 'Ask for this logo',
    removeLogo: 'Remove logo',
    askRemoval: 'Ask to remove the logo',

    waiting: 'Waiting for the operator',
    waitingText: 'A new request of the same kind replaces the one before.',
    kinds: { 'redirect-uris': 'Redirect URIs', privacy: 'Privacy notice', logo: 'Logo' },
    change: 'Change',
    wanted: 'To',
    askedAt: 'Requested',
    actions: 'Actions',
    removal: 'Removed',
    newImage: 'A new image',
    withdraw: 'Withdraw request',

    done: {
      applied: 'Changed.',
      waiting: 'The operator has been asked to confirm this change.',
      withdrawn: 'Request withdrawn.',
      gone: 'This request no longer waits: the operator has dealt with it, or it was replaced or withdrawn.',
      'shown-once':
        'This secret has already been created and shown once. If you don’t have it, create another.',
    },
  },
} as const
