//! Exact decimals: `1`, `1.0` and `10e-1` are the same number, and none of them goes through a float.

use std::fmt;

/// A decimal number in its one shortest form: digits without zeros at either end, times ten to a power.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Exponents beyond this are not numbers anybody means; `1e400` is not finite for most readers.
const LARGEST_EXPONENT: i64 = 308;

impl Decimal {
    /// Reads a number in JSON's notation, or returns `None` when its exponent is beyond ±308.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: "0".to_owned(), exponent: 0 });
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        let exponent =
            exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(i64::try_from(trailing).ok()?)?;
        let magnitude = exponent.checked_add(i64::try_from(digits.len()).ok()?)?;
        if !(-LARGEST_EXPONENT..=LARGEST_EXPONENT + 1).contains(&magnitude) {
            return None;
        }
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }

    /// Returns whether the number has no fraction.
    pub const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Returns whether the number is below zero.
    pub const fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns a whole number that is not negative; one beyond `u64` becomes its largest value.
    pub fn to_u64_saturating(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        Some(format!("{}{}", self.digits, "0".repeat(zeros)).parse().unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Decimal {
    /// Writes the canonical form: plain digits for whole numbers, else digits and an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        f.write_str(&self.digits)?;
        match usize::try_from(self.exponent) {
            Ok(zeros) if zeros <= 20 => f.write_str(&"0".repeat(zeros)),
            _ => write!(f, "e{}", self.exponent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn equal_numbers_have_one_form() {
        for (written, canonical) in [
            ("1", "1"),
            ("1.0", "1"),
            ("10e-1", "1"),
            ("1e3", "1000"),
            ("-0", "0"),
            ("0.10", "1e-1"),
            ("-1.50", "-15e-1"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(Decimal::parse(written).expect("a number").to_string(), canonical, "{written}");
        }
    }

    #[test]
    fn huge_exponents_are_not_numbers() {
        assert_eq!(Decimal::parse("1e400"), None);
        assert_eq!(Decimal::parse("1e-400"), None);
        assert_eq!(Decimal::parse("1e99999999999999999999"), None);
    }

    #[test]
    fn whole_numbers_beyond_u64_saturate() {
        let of = |text: &str| Decimal::parse(text).expect("a number").to_u64_saturating();
        assert_eq!(of("99999999999999999999"), Some(u64::MAX));
        assert_eq!(of("15.0"), Some(15));
        assert_eq!(of("1.5"), None);
        assert_eq!(of("-1"), None);
    }
}
