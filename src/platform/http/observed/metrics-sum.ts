import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Figures } from './metrics.ts'

/** Figures of one process at one moment, as sent to the supervisor. */
export type ProcessFigures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * Combines the figures of several processes. Counters and histograms add up; gauges (memory, lag) are aggregated as each
 * declares. Counters of ended processes stay included: a shrinking sum would look like a counter reset.
 */
export function createMetricsSum(own: Registry) {
  const latest = new Map<object, ProcessFigures>()
  let ended: ProcessFigures = []

  /** Excludes the supervisor's own memory and lag, which would distort the workers' figures: it serves no requests. */
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
      // An aggregated registry holds its values without collecting.
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

// The package's types declare numbers, but the data contains strings.
const isGrowing = (type: string) => type === 'counter' || type === 'histogram'

function sumOf(figures: ProcessFigures[]): Registry {
  return AggregatorRegistry.aggregate(figures)
}
