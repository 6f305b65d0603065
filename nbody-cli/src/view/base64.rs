//! Bytes as text of a page: base64 (RFC 4648, section 4).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the bytes in base64, with padding.
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    let (triples, rest) = bytes.as_chunks::<3>();
    for triple in triples {
        text.extend(digits(*triple));
    }
    match *rest {
        [a] => text.extend(digits([a, 0, 0]).into_iter().take(2).chain(*b"==")),
        [a, b] => text.extend(digits([a, b, 0]).into_iter().take(3).chain(*b"=")),
        _ => {}
    }
    text
}

fn digits([a, b, c]: [u8; 3]) -> [u8; 4] {
    let word = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| DIGITS[(word >> shift & 63) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_standard_are_encoded() {
        let text = |bytes: &str| String::from_utf8(encode(bytes.as_bytes())).unwrap();
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(text);
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(encode(&[0xfb, 0xff, 0xbf]), b"+/+/");
    }
}
