import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Figures } from './metrics.ts'

/** The figures of one process at one moment, as they travel to the one that adds them up. */
export type ProcessFigures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * The figures of several processes as those of one. Counts and times add up; what a process is like (memory, lag) goes
 * together as each gauge says. A process that has ended stays in all that only grows: a sum that shrinks would look like
 * a restart, and everything would be counted anew.
 */
export function createMetricsSum(own: Registry) {
  const latest = new Map<object, ProcessFigures>()
  let ended: ProcessFigures = []

  /** The supervisor serves nobody: its memory and its lag would only blur those of the workers. */
  async function ownFigures(): Promise<ProcessFigures> {
    const figures = await own.getMetricsAsJSON()
    return figures.filter(({ name }) => !/^dossier_(process|nodejs)_/.test(name))
  }

  return {
    keep: (process: object, figures: ProcessFigures) => void latest.set(process, figures),

    end(process: object): void {
      const last = latest.get(process) ?? []
      latest.delete(process)
      const grown = last.filter(({ type }) => isGrowing(String(type)))
      // Whoever was summed up has its values at hand.
      ended = sumOf([ended, grown]).getMetricsAsArray() as ProcessFigures
    },

    figuresAfter: (ask: () => Promise<unknown>): Figures => ({
      contentType: own.contentType,
      async metrics() {
        await ask()
        return sumOf([await ownFigures(), ...latest.values(), ended]).metrics()
      },
    }),
  }
}

// The types know them by number, what is sent has them as words.
const isGrowing = (type: string) => type === 'counter' || type === 'histogram'

function sumOf(figures: ProcessFigures[]): Registry {
  return AggregatorRegistry.aggregate(figures)
}
