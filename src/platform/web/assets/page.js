;(() => {
  const { lang } = document.documentElement
  const exactForm = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long' })
  const plainForm = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' })
  const dayForm = new Intl.DateTimeFormat(lang, { dateStyle: 'medium' })

  /** Converts times from UTC to the reader's time zone, with the exact value as a tooltip. */
  function tellTimes(within) {
    for (const time of within.querySelectorAll('time[datetime][data-local]')) {
      const at = new Date(time.dateTime)
      time.textContent = (time.dataset.local === 'day' ? dayForm : plainForm).format(at)
      time.title = `${exactForm.format(at)} (${time.dateTime})`
    }
  }

  /** Disables the buttons of a form while it is being submitted. */
  function sendOnce() {
    document.addEventListener('submit', ({ target: form, defaultPrevented, submitter }) => {
      // A button that downloads leaves the page as it is.
      if (defaultPrevented || form.method !== 'post' || submitter?.dataset.stays !== undefined) return
      // Deferred until the form data is read, because a disabled button would not be submitted.
      setTimeout(() => {
        form.setAttribute('aria-busy', 'true')
        for (const button of form.querySelectorAll('button')) button.disabled = true
      })
    })
    // Restores the form when the reader comes back with the browser's back button.
    addEventListener('pageshow', () => {
      for (const form of document.querySelectorAll('form[aria-busy]')) {
        form.removeAttribute('aria-busy')
        for (const button of form.querySelectorAll('button')) button.disabled = false
      }
    })
  }

  function offerCopies() {
    if (navigator.clipboard === undefined) return
    for (const button of document.querySelectorAll('button[data-copy]')) {
      const label = button.textContent
      button.hidden = false
      button.addEventListener('click', async () => {
        const source = document.getElementById(button.dataset.copy)
        await navigator.clipboard.writeText(source.value ?? source.textContent)
        button.textContent = button.dataset.done
        setTimeout(() => {
          button.textContent = label
        }, 2000)
      })
    }
  }

  /** Selects or clears every row of a list. */
  function chooseAll() {
    const all = document.querySelector('[data-choose-all]')
    if (all === null) return
    all.hidden = false
    all.addEventListener('change', () => {
      for (const box of document.querySelectorAll('[name="chosen"]')) box.checked = all.checked
    })
  }

  /** Submits the secret of an email link, which follows the # and is readable only by scripts. */
  function openLink() {
    const form = document.querySelector('form[data-opens-link]')
    if (form === null || location.hash.length < 2) return
    form.elements.token.value = location.hash
    // Removes the secret from the address bar and the history.
    history.replaceState(null, '', location.pathname)
    form.requestSubmit()
  }

  addEventListener('hashchange', openLink)
  openLink()
  tellTimes(document)
  // A script has shown another answer in this page.
  document.addEventListener('shown', ({ target }) => tellTimes(target))
  sendOnce()
  offerCopies()
  chooseAll()

  // On phones the pages of an area are a row that scrolls: the current one is in sight.
  const current = document.querySelector('.side .row [aria-current]')
  if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - 16
})()
