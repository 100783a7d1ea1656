/**
 * Negative if the first release comes before the second; for numbers such as 0.10.2, ignoring any suffix after a
 * hyphen.
 */
export function compareReleases(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  const index = a.findIndex((number, at) => number !== b[at])
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

function numbersOf(release: string): number[] {
  const found = /^(\d+)\.(\d+)\.(\d+)(?:-|$)/.exec(release)
  if (found === null) throw new Error(`${release} is no release: write it as 1.2.3`)
  return found.slice(1).map(Number)
}
