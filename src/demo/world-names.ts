export const worldNames = ['australia', 'berlin'] as const
export type WorldName = (typeof worldNames)[number]
