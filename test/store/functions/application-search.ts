import type { SearchRequest } from '../../../src/collect/search/find-applications-store.ts'
import type { Sample, StoreFunctions } from '../store-function.ts'

/** Each limit is so low that the search has to go further: to the terms, on through the window, to the end. */
const efforts = {
  byTerms: { searchedTerms: 100, searchWindow: 0 },
  byWindow: { searchedTerms: 0, searchWindow: 1_000 },
  byAllTerms: { searchedTerms: 0, searchWindow: 0 },
}

const everything: SearchRequest = {
  traits: { prefix: '', hasVirus: false },
  bounds: { after: 0, before: Number.MAX_SAFE_INTEGER },
  oldestFirst: false,
  limit: 1,
  effort: efforts.byTerms,
}

const page =
  (change: (ids: { jobAdId: number; applicationId: number }) => Partial<SearchRequest>): Sample =>
  (stores, scene) =>
    stores.applicationSearch.page(scene.advertiserId, { ...everything, ...change(scene) })

/** The applications of an advertiser as its people search for them. */
export const applicationSearchFunctions: StoreFunctions = {
  'answers.find': {
    strangerGets: [],
    sample: (stores, { advertiserId, applicationId }) => stores.answers.find(advertiserId, [applicationId]),
  },

  'answers.sizes': {
    strangerGets: new Map(),
    sample: (stores, { advertiserId, applicationId }) => stores.answers.sizes(advertiserId, [applicationId]),
  },

  'applicationSearch.page': {
    strangerGets: [],
    samples: [
      page(() => ({})),
      page(() => ({ oldestFirst: true })),
      page(({ jobAdId }) => ({ traits: { prefix: '', hasVirus: false, jobAdId } })),
      page(() => ({ traits: { prefix: '', hasVirus: false, isQuestionnairePassed: true } })),
      page(() => ({ traits: { prefix: '', hasVirus: false, statuses: ['new', 'seen'] } })),
      page(({ jobAdId }) => ({
        traits: { prefix: '', hasVirus: false, statuses: ['new', 'hired'], jobAdId },
      })),
      page(() => ({ traits: { prefix: '', hasVirus: false, isUnanswered: true } })),
      page(({ jobAdId }) => ({ traits: { prefix: '', hasVirus: false, isUnanswered: true, jobAdId } })),
      page(({ applicationId }) => ({ traits: { prefix: 'nobody', hasVirus: false, applicationId } })),
      ...Object.values(efforts).flatMap(effort => [
        page(() => ({ traits: { prefix: 'mary', hasVirus: false }, effort })),
        page(({ jobAdId }) => ({
          traits: { prefix: 'mary', hasVirus: false, jobAdId, isQuestionnairePassed: true },
          effort,
        })),
      ]),
    ],
  },
  'applicationSearch.newestIds': {
    strangerGets: [],
    samples: [
      (stores, scene) => stores.applicationSearch.newestIds(scene.advertiserId, everything),
      ...[1, 100].flatMap(limit =>
        // Two spellings of an address are two ranges.
        [undefined, ['mary@example\u3002com']].map(
          (otherPrefixes): Sample =>
            (stores, scene) =>
              stores.applicationSearch.newestIds(scene.advertiserId, {
                ...everything,
                traits: { prefix: 'mary', hasVirus: false, ...(otherPrefixes && { otherPrefixes }) },
                limit,
              }),
        ),
      ),
    ],
  },
  'applicationSearch.countUnanswered': {
    strangerGets: 0,
    sample: (stores, scene) => stores.applicationSearch.countUnanswered(scene.advertiserId, everything),
  },
  'applicationSearch.related': {
    strangerGets: [],
    sample: (stores, scene) =>
      stores.applicationSearch.related(
        scene.advertiserId,
        { id: scene.applicationId, email: 'mary@example.com' },
        5,
      ),
  },
  'applicationSearch.find': {
    sample: (stores, scene) => stores.applicationSearch.find(scene.advertiserId, scene.applicationId),
  },
  'applicationSearch.adChoices': {
    strangerGets: [],
    sample: (stores, scene) => stores.applicationSearch.adChoices(scene.advertiserId, 10),
  },
}
