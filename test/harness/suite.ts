/** The arguments of a suite: its options, if it has any, stand beside its name, and its body comes last. */
export type Suite<Options, Body> = [name: string, body: Body] | [name: string, options: Options, body: Body]

/** A suite without options takes these. */
export function partsOfSuite<Options, Body>(suite: Suite<Options, Body>, usual: Options) {
  if (suite.length === 3) return { name: suite[0], options: suite[1], body: suite[2] }
  return { name: suite[0], options: usual, body: suite[1] }
}
