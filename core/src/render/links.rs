//! Converts links, pictures and embedded pages to HTML.

use std::ops::Range;

use pulldown_cmark::LinkType;

use super::attachments::is_picture;
use super::body::Body;
use super::load::{Place, Target};
use super::url;
use crate::Result;
use crate::page::{self, Link, LinkKind};
use crate::path;

/// A link or picture that is open in the Markdown.
#[derive(Debug)]
pub(super) enum Frame {
    /// Its text is written next, and then this closing markup.
    Open(&'static str),
    /// It is written completely; events of its content are skipped.
    Written,
    /// A picture, which is written when its description is complete.
    Picture { picture: Picture, description: String },
}

/// The target of a Markdown picture.
#[derive(Debug)]
pub(super) enum Picture {
    /// A file of the project.
    File(String),
    /// An external address.
    Outside(String),
    /// A file that does not exist.
    Missing(String),
    /// An address that must not be shown.
    Refused,
}

/// How a picture is shown.
#[derive(Debug, Default)]
pub(super) struct Size<'a> {
    pub width: Option<&'a str>,
    pub height: Option<&'a str>,
    pub class: Option<&'a str>,
}

impl Frame {
    pub(super) fn hides(&self) -> bool {
        !matches!(self, Self::Open(_))
    }

    /// Whether it is inside an `a` element.
    fn is_anchor(&self) -> bool {
        matches!(self, Self::Open("</a>"))
    }
}

impl Body<'_> {
    pub(super) fn open_link(&mut self, kind: LinkType, destination: &str, range: Range<usize>) -> Result<()> {
        if self.frames.iter().any(Frame::hides) {
            self.frames.push(Frame::Open(""));
            return Ok(());
        }
        self.open_paragraph();
        let link = self.links.get(&(range.start, range.end)).cloned();
        let frame = match link {
            Some(link) if link.kind != LinkKind::Markdown => self.wiki(&link)?,
            Some(link) => self.open_markdown(&link)?,
            None => self.open_elsewhere(kind, destination),
        };
        self.frames.push(frame);
        Ok(())
    }

    pub(super) fn open_image(
        &mut self,
        kind: LinkType,
        destination: &str,
        range: Range<usize>,
    ) -> Result<()> {
        if self.frames.iter().any(Frame::hides) {
            self.frames.push(Frame::Open(""));
            return Ok(());
        }
        if let Some(link) = self.links.get(&(range.start, range.end)).cloned() {
            let frame = self.wiki(&link)?;
            self.frames.push(frame);
            return Ok(());
        }
        let picture = if matches!(kind, LinkType::WikiLink { .. }) {
            outside_picture(destination)
        } else {
            self.picture_at(destination)?
        };
        self.frames.push(Frame::Picture { picture, description: String::new() });
        Ok(())
    }

    pub(super) fn close_link(&mut self) -> Result<()> {
        match self.frames.pop() {
            Some(Frame::Open(markup)) => self.out.raw(markup),
            Some(Frame::Picture { picture, description }) => self.sized_picture(&picture, description.trim()),
            Some(Frame::Written) | None => {}
        }
        Ok(())
    }

    pub(super) fn is_in_anchor(&self) -> bool {
        self.own.is_in_anchor() || self.frames.iter().any(Frame::is_anchor)
    }

    /// The picture at an address in Markdown or HTML.
    pub(super) fn picture_at(&self, address: &str) -> Result<Picture> {
        Ok(match page::parse_destination(address) {
            Some(target) => match self.attachment(LinkKind::Markdown, &target)? {
                Some(file) => Picture::File(file),
                None => Picture::Missing(target),
            },
            None => outside_picture(address),
        })
    }

    /// Opens a link at an address in the page's own HTML; returns the name of the element, if there is one.
    pub(super) fn open_address(&mut self, address: &str) -> Result<Option<&'static str>> {
        let address = address.trim();
        let frame = match page::parse_destination(address) {
            None => self.open_elsewhere(LinkType::Inline, address),
            Some(target) => {
                let destination = self.job.renderer.target(self.page, LinkKind::Markdown, &target)?;
                self.open_target(LinkKind::Markdown, &target, &destination, page::DEFAULT_LINK_TYPE)?
            }
        };
        Ok(match frame {
            Frame::Open("</a>") => Some("a"),
            Frame::Open("</code>") => Some("code"),
            _ => None,
        })
    }

    fn attachment(&self, kind: LinkKind, target: &str) -> Result<Option<String>> {
        let found = self.job.renderer.attachments.find(kind, target, &self.page.path)?;
        if let Some(file) = &found {
            self.job.attachments.borrow_mut().insert(file.clone());
        }
        Ok(found)
    }

    /// Writes a wikilink or an embedded page.
    fn wiki(&mut self, link: &Link) -> Result<Frame> {
        let page = self.page;
        let embeds = link.kind == LinkKind::Embed;
        match page.target(link.kind, &link.target) {
            Target::Page(place) => {
                if embeds
                    && self.takes_blocks()
                    && let Some(html) = self.job.embedded(place)?
                {
                    self.embed(link, place, &html);
                } else {
                    self.whole(|body| body.open_page(place, &link.link_type), &shown(link, Some(place)));
                }
            }
            Target::Source(file) => self.source(file, &link.target, &shown(link, None)),
            Target::Attachment => match self.attachment(link.kind, &link.target)? {
                #[cfg(not(target_family = "wasm"))]
                Some(file) if embeds && self.embed_base(link, &file)? => {}
                Some(file) if embeds => {
                    self.sized_picture(&Picture::File(file), link.text.as_deref().unwrap_or_default());
                }
                Some(file) => self.whole(|body| body.open_attachment(&file), &shown(link, None)),
                None => self.whole(|body| body.open_missing(&link.target), &shown(link, None)),
            },
            Target::Nothing => self.whole(|body| body.open_missing(&link.target), &shown(link, None)),
        }
        Ok(Frame::Written)
    }

    /// Writes a link to an attachment within a block that is being written.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn file_link(&mut self, file: &str, text: &str) {
        let frame = self.open_attachment(file);
        self.out.text(text);
        if let Frame::Open(close) = frame {
            self.out.raw(close);
        }
    }

    /// Writes a link with `text` as its content.
    fn whole(&mut self, open: impl FnOnce(&mut Self) -> Frame, text: &str) {
        self.open_paragraph();
        let frame = open(self);
        self.out.text(text);
        if let Frame::Open(close) = frame {
            self.out.raw(close);
        }
    }

    fn open_markdown(&mut self, link: &Link) -> Result<Frame> {
        let page = self.page;
        self.open_target(link.kind, &link.target, page.target(link.kind, &link.target), &link.link_type)
    }

    fn open_target(
        &mut self,
        kind: LinkKind,
        written: &str,
        target: &Target,
        link_type: &str,
    ) -> Result<Frame> {
        Ok(match target {
            Target::Page(place) => self.open_page(place, link_type),
            Target::Source(file) => {
                self.open_source(file, written);
                Frame::Open("</code>")
            }
            Target::Attachment => match self.attachment(kind, written)? {
                Some(file) => self.open_attachment(&file),
                None => self.open_missing(written),
            },
            Target::Nothing => self.open_missing(written),
        })
    }

    /// Opens a Markdown link to a place on this page or to an external address.
    fn open_elsewhere(&mut self, kind: LinkType, destination: &str) -> Frame {
        if self.is_in_anchor() {
            return Frame::Open("");
        }
        if let Some(anchor) = destination.strip_prefix('#') {
            let id = self.own_place(&page::percent_decoded(anchor));
            return match id {
                Some(id) => {
                    let href = self.job.href(&self.page.file, Some(&id));
                    let path = &self.page.path;
                    let attributes = [
                        ("class", "link"),
                        ("data-page", path.as_str()),
                        ("data-type", "references"),
                        ("href", &href),
                    ];
                    self.out.open("a", &attributes);
                    Frame::Open("</a>")
                }
                None => self.open_missing(destination),
            };
        }
        let mail = (kind == LinkType::Email).then(|| format!("mailto:{destination}"));
        match url::outside(mail.as_deref().unwrap_or(destination)) {
            Some(outside) => {
                self.open_outside(outside, "external");
                Frame::Open("</a>")
            }
            None => Frame::Open(""),
        }
    }

    fn open_outside(&mut self, address: &str, class: &str) {
        self.out.open("a", &[("class", class), ("rel", "noopener noreferrer"), ("href", address)]);
    }

    fn open_page(&mut self, place: &Place, link_type: &str) -> Frame {
        if self.is_in_anchor() {
            return Frame::Open("");
        }
        let href = self.job.href(&place.file, place.id.as_deref());
        let attributes =
            [("class", "link"), ("data-page", &*place.path), ("data-type", link_type), ("href", &href)];
        self.out.open("a", &attributes);
        Frame::Open("</a>")
    }

    fn open_attachment(&mut self, file: &str) -> Frame {
        if self.is_in_anchor() {
            return Frame::Open("");
        }
        let href = self.file_url(file);
        self.out.open("a", &[("class", "attachment"), ("data-file", file), ("href", &href)]);
        Frame::Open("</a>")
    }

    fn open_missing(&mut self, target: &str) -> Frame {
        if self.is_in_anchor() {
            return Frame::Open("");
        }
        let attributes =
            [("class", "link missing"), ("data-target", target), ("role", "link"), ("aria-disabled", "true")];
        self.out.open("a", &attributes);
        Frame::Open("</a>")
    }

    /// Opens a link to code. `written` is its target, which may name lines: `src/x.rs#L10-L20`.
    fn open_source(&mut self, file: &str, written: &str) {
        let lines = written.rsplit_once('#').map(|(_, lines)| lines).filter(|lines| names_lines(lines));
        let mut attributes = vec![("class", "link source"), ("data-source", file)];
        attributes.extend(lines.map(|lines| ("data-lines", lines)));
        self.out.open("code", &attributes);
    }

    fn source(&mut self, file: &str, written: &str, text: &str) {
        self.open_paragraph();
        self.open_source(file, written);
        self.out.text(text);
        self.out.raw("</code>");
    }

    fn file_url(&self, file: &str) -> String {
        let pages_dir = self.job.renderer.context.pages_dir();
        self.job.href(&url::attachment_file(file, pages_dir), None)
    }

    /// Writes a picture of Markdown, whose description may end with its size.
    fn sized_picture(&mut self, picture: &Picture, description: &str) {
        let (text, size) = sized(description);
        let (width, height) = size.map_or((None, None), |(width, height)| (Some(width), height));
        self.picture(picture, text, &Size { width, height, class: None });
    }

    /// The address that browsers load a picture from, if they may.
    pub(super) fn picture_url(&self, picture: &Picture) -> Option<String> {
        match picture {
            Picture::File(file) if is_picture(file) => Some(self.file_url(file)),
            // Its host learns who reads the page, so the project has to allow it.
            Picture::Outside(address) if self.job.renderer.context.manifest.reading.external_pictures => {
                let is_encrypted =
                    address.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
                is_encrypted.then(|| address.clone())
            }
            _ => None,
        }
    }

    pub(super) fn picture(&mut self, picture: &Picture, text: &str, size: &Size<'_>) {
        if let Some(url) = self.picture_url(picture) {
            self.open_paragraph();
            self.fill_gap("x");
            let mut attributes = Vec::new();
            if let Picture::File(file) = picture {
                let alt = if text.is_empty() { path::file_name(file) } else { text };
                attributes.extend([("data-file", file.as_str()), ("src", &url), ("alt", alt)]);
            } else {
                attributes.extend([("src", url.as_str()), ("alt", text), ("referrerpolicy", "no-referrer")]);
            }
            attributes.push(("loading", "lazy"));
            attributes.extend(size.class.map(|class| ("class", class)));
            attributes.extend(size.width.map(|width| ("width", width)));
            attributes.extend(size.height.map(|height| ("height", height)));
            self.out.open("img", &attributes);
            return;
        }
        match picture {
            Picture::File(file) => {
                let text = if text.is_empty() { path::file_name(file) } else { text };
                self.whole(|body| body.open_attachment(file), text);
            }
            Picture::Missing(target) => {
                let text = if text.is_empty() { target } else { text };
                self.whole(|body| body.open_missing(target), text);
            }
            // Loading it would tell its host who reads the page.
            Picture::Outside(address) if !self.is_in_anchor() => {
                self.open_paragraph();
                self.fill_gap("x");
                self.open_outside(address, "external image");
                self.out.text(if text.is_empty() { address } else { text });
                self.out.raw("</a>");
            }
            Picture::Outside(_) | Picture::Refused => {
                self.open_paragraph();
                self.fill_gap(text);
                self.out.text(text);
            }
        }
    }

    fn embed(&mut self, link: &Link, place: &Place, html: &str) {
        self.interrupt_paragraph();
        self.out.open("section", &[("class", "embed"), ("data-page", &place.path)]);
        self.out.raw("\n<p class=\"embed-title\">");
        let frame = self.open_page(place, &link.link_type);
        self.out.text(&link.text.clone().unwrap_or_else(|| titled(place)));
        if let Frame::Open(close) = frame {
            self.out.raw(close);
        }
        self.out.raw("</p>\n");
        self.out.raw(html);
        self.block("</section>\n");
    }
}

/// Whether a fragment names lines as on code hosts: `L10`, `L10-L20`, `L10-20`.
fn names_lines(fragment: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let line = |line: &str| line.strip_prefix('L').is_some_and(is_number);
    match fragment.split_once('-') {
        Some((first, last)) => line(first) && is_number(last.strip_prefix('L').unwrap_or(last)),
        None => line(fragment),
    }
}

fn outside_picture(address: &str) -> Picture {
    url::outside(address).map_or(Picture::Refused, |outside| Picture::Outside(outside.to_owned()))
}

/// The text of a wikilink: its alias, or else its target with `>` in place of `#`.
fn shown(link: &Link, place: Option<&Place>) -> String {
    if let Some(text) = &link.text {
        return text.clone();
    }
    let anchor = place.and_then(|place| place.anchor.as_deref());
    let name = anchor.and_then(|anchor| link.target.strip_suffix(anchor)?.trim_end().strip_suffix('#'));
    let Some((name, anchor)) = name.zip(anchor) else { return link.target.clone() };
    parts(name.trim(), anchor)
}

fn titled(place: &Place) -> String {
    place.anchor.as_deref().map_or_else(|| place.title.clone(), |anchor| parts(&place.title, anchor))
}

fn parts(name: &str, anchor: &str) -> String {
    let parts = std::iter::once(name).chain(anchor.split('#')).map(str::trim).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" > ")
}

/// A picture's description and its size, such as `300` or `300x200` after the last pipe.
fn sized(description: &str) -> (&str, Option<(&str, Option<&str>)>) {
    let (text, last) = match description.rsplit_once('|') {
        Some((text, last)) => (text.trim(), last.trim()),
        None => ("", description),
    };
    let number = |part: &str| (1..=5).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    match last.split_once('x') {
        Some((width, height)) if number(width) && number(height) => (text, Some((width, Some(height)))),
        None if number(last) => (text, Some((last, None))),
        _ => (description, None),
    }
}
