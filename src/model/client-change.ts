/** What an agent may ask to change of its client. */
export const changeKinds = ['redirect-uris', 'privacy', 'logo'] as const
export type ChangeKind = (typeof changeKinds)[number]
