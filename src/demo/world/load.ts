import type { WorldName } from '../world-names.ts'
import type { DemoWorld } from './demo-world.ts'

const worlds: Record<WorldName, () => Promise<DemoWorld>> = {
  australia: async () => (await import('./everything.ts')).australia,
  berlin: async () => (await import('./berlin/everything.ts')).berlin,
}

/** Loads the modules of that world only. */
export const loadWorld = (name: WorldName): Promise<DemoWorld> => worlds[name]()
