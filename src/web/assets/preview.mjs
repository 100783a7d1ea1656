/**
 * Draws the pages of a pdf, each when it comes into view. The library is half a megabyte, so it is loaded only for
 * a preview that somebody looks at. It never runs what a pdf brings along: neither scripts nor links nor forms.
 */

const mostPages = 50
/** Of one page: enough for a sharp A4 page on a dense display. */
const mostPixels = 6_000_000
/** A page that pretends to be a mile long would be a mile of scrolling. */
const mostProportion = 4

/** Whatever takes longer was made to keep machines busy. */
const patienceMs = 20_000

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name])

/**
 * Opens a file, and has what is done with it done in time: `inTime` gives up on a step that takes too long, and ends
 * the worker with it, which would go on for as long as the file wants.
 */
async function openDocument({ pdf, library, worker: workerSrc, libraryFiles }) {
  const [response, { getDocument, GlobalWorkerOptions, PDFWorker, VerbosityLevel }] = await Promise.all([
    fetch(pdf),
    import(library),
  ])
  if (!response.ok) throw new Error(`the file was answered with ${response.status}`)
  GlobalWorkerOptions.workerSrc = workerSrc
  const worker = new PDFWorker({ verbosity: VerbosityLevel.ERRORS })
  const inTime = work =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        worker.destroy()
        reject(new Error('it takes too long'))
      }, patienceMs)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  const files = new URL(libraryFiles, location.href).href
  const task = getDocument({
    worker,
    data: new Uint8Array(await response.arrayBuffer()),
    standardFontDataUrl: `${files}standard_fonts/`,
    cMapUrl: `${files}cmaps/`,
    wasmUrl: `${files}wasm/`,
    // The policy of our pages allows no code that is made on the way.
    useWasm: false,
    // Glyphs are drawn as shapes: no font of a stranger reaches the browser.
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    maxImageSize: 64_000_000,
    canvasMaxAreaInBytes: 4 * 16_000_000,
    disableWorkerRendering: true,
    verbosity: VerbosityLevel.ERRORS,
  })
  return { pdf: await inTime(task.promise), inTime }
}

/** A frame of the right shape for each page, so that nothing moves when it is drawn. */
function placePage(region, label, { width, height }) {
  const canvas = document.createElement('canvas')
  canvas.width = 0
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', label)
  const proportion = Math.min(mostProportion, Math.max(1 / mostProportion, height / width))
  canvas.style.aspectRatio = `1 / ${proportion}`
  region.append(canvas)
  return canvas
}

async function drawPage(page, canvas) {
  const { width, height } = page.getViewport({ scale: 1 })
  const wanted = (canvas.clientWidth / width) * devicePixelRatio
  const scale = Math.min(wanted, Math.sqrt(mostPixels / (width * height)))
  const viewport = page.getViewport({ scale })
  canvas.width = Math.max(1, Math.floor(viewport.width))
  canvas.height = Math.max(1, Math.floor(viewport.height))
  await page.render({ canvas, viewport }).promise
}

/** What is drawn cannot be read aloud, so its words follow it. */
async function addWords(page, canvas) {
  const { items } = await page.getTextContent()
  const words = document.createElement('div')
  words.className = 'for-readers'
  words.textContent = items
    .map(({ str = '', hasEOL }) => (hasEOL ? `${str} ` : str))
    .join('')
    .slice(0, 20_000)
  canvas.after(words)
}

async function show(region) {
  const { page: pageText, cut, failed } = region.dataset
  const state = region.querySelector('.preview-state')
  const giveUp = () => {
    region.classList.add('is-failed')
    state.textContent = failed
    state.hidden = false
  }
  try {
    const { pdf, inTime } = await openDocument(region.dataset)
    const shown = Math.min(pdf.numPages, mostPages)
    const pages = new Map()
    const inView = new IntersectionObserver(
      async entries => {
        for (const { target: canvas, isIntersecting } of entries) {
          const entry = pages.get(canvas)
          if (!isIntersecting) {
            // What is out of sight gives its pixels back.
            if (entry.isDrawn) {
              canvas.width = 0
              entry.isDrawn = false
            }
          } else if (!entry.isDrawn) {
            entry.isDrawn = true
            entry.drawing = entry.drawing.then(() => inTime(drawPage(entry.page, canvas))).catch(giveUp)
          }
        }
      },
      { root: region, rootMargin: '50%' },
    )
    for (let number = 1; number <= shown; number++) {
      const page = await inTime(pdf.getPage(number))
      const label = filled(pageText, { page: number, pages: pdf.numPages })
      const canvas = placePage(region, label, page.getViewport({ scale: 1 }))
      pages.set(canvas, { page, isDrawn: false, drawing: Promise.resolve() })
      inView.observe(canvas)
    }
    state.hidden = shown === pdf.numPages
    state.textContent = filled(cut, { shown, pages: pdf.numPages })
    region.append(state)
    for (const [canvas, { page }] of pages) await inTime(addWords(page, canvas))
  } catch {
    giveUp()
  }
}

const whenSeen = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      whenSeen.unobserve(target)
      show(target)
    }
  },
  { rootMargin: '200px' },
)
for (const region of document.querySelectorAll('[data-pdf]')) whenSeen.observe(region)
