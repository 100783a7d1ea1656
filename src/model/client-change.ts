/** Client details that an agent may ask to change. */
export const changeKinds = ['redirect-uris', 'privacy', 'logo'] as const
export type ChangeKind = (typeof changeKinds)[number]
