import type { EventType } from '../../model/events.ts'

/** Event types as endpoints and lanes store them, separated by spaces. */
export const readTypes = (text: string) => text.split(' ') as EventType[]
export const writeTypes = (types: readonly EventType[]) => types.join(' ')
