import { at, fullApplication, type Scene } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator } = exceptions
const fileHash = 'hash of a file'

const entry = ({ advertiserId }: Scene, submittedAt: number) => ({
  line: submittedAt,
  advertiserId,
  submittedAt,
  application: { ...fullApplication, files: [] },
})

const untouched = { begun: new Set<number>(), filesKeptUntil: at }

export const importFunctions: StoreFunctions = {
  'imports.begin': { exception: operator, sample: stores => stores.imports.begin(fileHash, at) },
  'imports.newestApplications': {
    exception: operator,
    sample: (stores, scene) => stores.imports.newestApplications([scene.advertiserId]),
  },
  'imports.addBatch': {
    exception: operator,
    samples: [
      (stores, scene) => {
        // The second one is older than the advertiser's newest, and so is refused.
        const batch = { from: 0, to: 1, isLast: false, entries: [entry(scene, at * 2)], refusals: [] }
        return stores.imports.addBatch(fileHash, { ...batch, ...untouched }, () => at)
      },
      (stores, scene) => {
        const batch = { from: 1, to: 2, isLast: true, entries: [entry(scene, 1)], refusals: [] }
        return stores.imports.addBatch(fileHash, { ...batch, ...untouched }, () => at)
      },
    ],
  },
  'imports.find': { exception: operator, sample: stores => stores.imports.find(fileHash) },
  'imports.refusals': { exception: operator, sample: stores => stores.imports.refusals(fileHash, 0, 10) },
}
