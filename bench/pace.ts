/** The length and number of turns. Before the first round each participant has a turn that does not count. */
export interface Turn {
  rounds: number
  firstMs: number
  warmUpMs: number
  measureMs: number
}

/** How a run divides its time. */
export interface Pace {
  isQuick: boolean
  /** The first turn is long: the first thousands of requests of a kind cost a server twice as much as all later ones. */
  reading: Turn
  /** For servers that have answered such requests before. */
  warm: Turn
  /** For requests that write: a turn makes few of them to warm up with, so the first is longer. */
  writing: Turn
  /** For figures without a target. */
  brief: Turn
  starts: number
  pageRounds: number
  /** How long to send requests at a fixed rate. */
  tailMs: number
  /** The same beside submissions, of the service and of a floor in turn: long enough for several checkpoints. */
  beside: { rounds: number; ms: number }
  applyMs: number
}

export const fullPace: Pace = {
  isQuick: false,
  reading: { rounds: 5, firstMs: 3_000, warmUpMs: 60, measureMs: 450 },
  warm: { rounds: 5, firstMs: 400, warmUpMs: 60, measureMs: 450 },
  writing: { rounds: 5, firstMs: 1_200, warmUpMs: 80, measureMs: 450 },
  brief: { rounds: 3, firstMs: 300, warmUpMs: 80, measureMs: 400 },
  starts: 3,
  pageRounds: 9,
  tailMs: 2_000,
  beside: { rounds: 5, ms: 4_000 },
  applyMs: 1_000,
}

/** Checks that everything works, on a small fill. Its figures are meaningless, and nothing is written. */
export const quickPace: Pace = {
  isQuick: true,
  reading: { rounds: 2, firstMs: 100, warmUpMs: 20, measureMs: 150 },
  warm: { rounds: 2, firstMs: 100, warmUpMs: 20, measureMs: 150 },
  writing: { rounds: 2, firstMs: 100, warmUpMs: 20, measureMs: 150 },
  brief: { rounds: 1, firstMs: 50, warmUpMs: 20, measureMs: 150 },
  starts: 1,
  pageRounds: 1,
  tailMs: 500,
  beside: { rounds: 1, ms: 500 },
  applyMs: 200,
}

export function howLoaded(connections: number, { rounds, measureMs }: Turn): string {
  return `${connections} connections, ${rounds} rounds of ${measureMs / 1000} s each after a warm-up`
}
