;(() => {
  const letters = document.querySelector('[data-keys]')
  if (letters === null) return
  const kept = 'reader-keys'

  /** Letters can be turned off, because speech input types them by accident (WCAG 2.1.4). */
  function turn(isOn) {
    letters.setAttribute('aria-pressed', String(isOn))
    localStorage.setItem(kept, isOn ? 'on' : 'off')
  }

  letters.hidden = false
  turn(localStorage.getItem(kept) !== 'off')
  letters.addEventListener('click', () => turn(letters.getAttribute('aria-pressed') !== 'true'))

  const keys = { j: 'next', ArrowRight: 'next', k: 'prev', ArrowLeft: 'prev' }

  addEventListener('keydown', event => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event
    const rel = keys[key.length === 1 ? key.toLowerCase() : key]
    if (rel === undefined || altKey || ctrlKey || metaKey || shiftKey) return
    if (key.length === 1 && letters.getAttribute('aria-pressed') !== 'true') return
    // A page of a file that is wider than its frame scrolls by the same keys.
    if (target.closest('input, select, textarea') || target.scrollWidth > target.clientWidth) return
    document.querySelector(`a[rel=${rel}]`)?.click()
  })
})()
